/** A walk through all screens with the keyboard alone. */
import { expect, test } from "vitest";
import demo from "../../examples/demo/app.ts";
import { launchBrowser } from "../support/browser.ts";
import { openPage } from "./support/browser.ts";
import { inBrowser, startConsole } from "./support/set-up.ts";

/** Axe checks every screen, which takes a minute on a busy machine. */
const timeout = 300_000;

test("the command palette opens every screen, whose title takes the focus", { ...inBrowser, timeout }, async () => {
  const { agents, teams, workflows } = demo;
  await using served = await startConsole({ agents, teams, workflows });
  const browser = await launchBrowser();
  try {
    const { page, check, checkAccessibility } = await openPage(browser, served.console);
    const links = page.getByRole("navigation", { name: "Screens" }).getByRole("link");
    await links.first().waitFor();
    const screens = await page.locator("nav .mantine-NavLink-label").allTextContents();
    expect(screens.length).toBeGreaterThan(5);
    for (const screen of [...screens.slice(1), "Home"]) {
      await page.keyboard.press("Control+k");
      await page.getByRole("dialog", { name: "Command palette" }).getByRole("combobox").waitFor();
      await page.keyboard.type(screen);
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: screen, level: 1 }).waitFor();
      await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe(screen);
      await page.waitForLoadState("networkidle");
      await checkAccessibility();
    }
    check();
  } finally {
    await browser.close();
  }
});
