/** The screen with the list of sessions, in a real browser. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { defineAgent } from "../../src/define/agent.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { launchBrowser } from "../support/browser.ts";
import { openPage } from "./support/browser.ts";
import { type ConsoleServer, inBrowser, startConsole } from "./support/set-up.ts";

const greeter = defineAgent({ id: "greeter", model: scriptedModel(() => "Hello.") });

async function run(url: string, fields: Record<string, string>): Promise<void> {
  const body = new URLSearchParams({ message: "Hello", stream: "false", ...fields });
  const response = await fetch(`${url}/agents/greeter/runs`, { method: "POST", body });
  expect(response.status).toBe(200);
}

describe("the sessions of the console (skipped without Chromium: CHROMIUM_PATH)", inBrowser, () => {
  let browser: Browser;
  let served: ConsoleServer;

  beforeAll(async () => {
    browser = await launchBrowser();
  });
  // A second attempt of a test must not find the data of the first.
  beforeEach(async () => {
    await served?.[Symbol.asyncDispose]();
    served = await startConsole({ agents: [greeter] });
  });
  afterAll(async () => {
    await browser?.close();
    await served?.[Symbol.asyncDispose]();
  });

  test("an empty list shows the command that starts a session", async () => {
    const { page, check, checkAccessibility } = await openPage(browser, `${served.console}/sessions`);
    await page.getByText("No sessions yet").waitFor();
    await expect.poll(() => page.getByText(`curl -N ${served.url}/agents/`).count()).toBe(1);
    await checkAccessibility();
    check();
  });

  test("filters are in the URL, and a reload keeps them", async () => {
    await run(served.url, { session_id: "s-alice", user_id: "alice" });
    await run(served.url, { session_id: "s-bob", user_id: "bob" });
    const { page, check, checkAccessibility } = await openPage(browser, `${served.console}/sessions`);
    await page.getByText("s-alice").first().waitFor();
    await checkAccessibility();
    await page.getByLabel("User").fill("bob");
    await expect.poll(() => page.getByText("s-alice").count()).toBe(0);
    expect(new URL(page.url()).searchParams.get("user")).toBe("bob");
    await page.reload();
    await page.getByText("s-bob").first().waitFor();
    await expect.poll(() => page.getByLabel("User").inputValue()).toBe("bob");
    await expect.poll(() => page.getByText("s-alice").count()).toBe(0);
    check();
  });

  test("a session gets a new name, and is deleted after a confirmation", async () => {
    await run(served.url, { session_id: "s-carol", user_id: "carol" });
    const { page, check, checkAccessibility } = await openPage(browser, `${served.console}/sessions?user=carol`);
    const row = page.getByRole("row").filter({ hasText: "s-carol" });
    await row.getByRole("button", { name: /^Actions for/ }).click();
    await page.getByRole("menuitem", { name: "Rename" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("Trip to Rome");
    await checkAccessibility();
    await page.getByRole("dialog").getByRole("button", { name: "Rename" }).click();
    await page.getByText("Trip to Rome").waitFor();
    await page.getByRole("checkbox", { name: "Select Trip to Rome" }).check();
    await page.getByRole("button", { name: "Delete 1 selected" }).click();
    await page.getByRole("dialog", { name: "Delete this session?" }).getByRole("button", { name: "Delete" }).click();
    await page.getByText("No session matches the filters").waitFor();
    const response = await fetch(`${served.url}/sessions/s-carol`);
    expect(response.status).toBe(404);
    check();
  });
});
