import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, chromium } from "playwright-core";

const names = ["chromium", "chromium-browser", "google-chrome", "chrome"];

/** Path of a local Chromium: `CHROMIUM_PATH`, or the first one in PATH. Undefined if the machine has none. */
export const chromiumPath: string | undefined = [
  process.env.CHROMIUM_PATH ?? "",
  ...(process.env.PATH ?? "").split(delimiter).flatMap((folder) => names.map((name) => join(folder, name))),
].find((path) => path !== "" && isExecutable(path));

/** Starts a headless browser that connects to no server except the page's. */
export function launchBrowser(): Promise<Browser> {
  if (chromiumPath === undefined) throw new Error("No Chromium found: install it, or set CHROMIUM_PATH.");
  const quiet = ["--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
  return chromium.launch({
    executablePath: chromiumPath,
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", ...quiet],
  });
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
