import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, chromium } from "playwright-core";

const names = ["chromium", "chromium-browser", "google-chrome", "chrome"];

/** A Chromium of this machine: `CHROMIUM_PATH`, or what is found in the path. Undefined where there is none. */
export const chromiumPath: string | undefined = [
  process.env.CHROMIUM_PATH ?? "",
  ...(process.env.PATH ?? "").split(delimiter).flatMap((folder) => names.map((name) => join(folder, name))),
].find((path) => path !== "" && isExecutable(path));

/** Starts it, without a window and without talking to anybody but the page's server. */
export function launchBrowser(): Promise<Browser> {
  if (chromiumPath === undefined) throw new Error("There is no Chromium: install it, or name one in CHROMIUM_PATH.");
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
