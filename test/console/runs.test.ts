/** The screen with the list of runs, in a real browser. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { defineAgent } from "../../src/define/agent.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { launchBrowser } from "../support/browser.ts";
import { makePair, token } from "../support/tokens.ts";
import { openPage, signIn } from "./support/browser.ts";
import { type ConsoleServer, inBrowser, startConsole } from "./support/set-up.ts";

const greeter = defineAgent({ id: "greeter", name: "Greeter", model: scriptedModel(() => "Hello.") });
const broken = defineAgent({
  id: "broken",
  name: "Broken",
  model: scriptedModel(() => ({ error: { message: "No such key" } })),
});
const agents = [greeter, broken];

async function run(url: string, agent: string, fields: Record<string, string>, bearer?: string): Promise<void> {
  const response = await fetch(`${url}/agents/${agent}/runs`, {
    method: "POST",
    body: new URLSearchParams({ message: "Hello", ...fields }),
    headers: bearer === undefined ? {} : { authorization: `Bearer ${bearer}` },
  });
  await response.text();
  expect(response.status).toBe(200);
}

describe("the runs of the console (skipped without Chromium: CHROMIUM_PATH)", inBrowser, () => {
  let browser: Browser;
  let served: ConsoleServer;

  beforeAll(async () => {
    browser = await launchBrowser();
  });
  // A second attempt of a test must not find the data of the first.
  beforeEach(async () => {
    await served?.[Symbol.asyncDispose]();
    served = await startConsole({ agents });
  });
  afterAll(async () => {
    await browser?.close();
    await served?.[Symbol.asyncDispose]();
  });

  test("an empty list shows the command that starts a run", async () => {
    const { page, check } = await openPage(browser, `${served.console}/runs`);
    await page.getByText("No runs yet").waitFor();
    check();
  });

  test("filters are in the URL, a reload keeps them, and a row leads to the run", async () => {
    await run(served.url, "greeter", { session_id: "s-alice", user_id: "alice" });
    await run(served.url, "broken", { session_id: "s-bob", user_id: "bob" });
    for (const colorScheme of ["light", "dark"] as const) {
      const { page, check, checkAccessibility } = await openPage(browser, `${served.console}/runs`, { colorScheme });
      await page.getByRole("link", { name: "Greeter" }).waitFor();
      await checkAccessibility();
      await page.getByRole("combobox", { name: "State" }).click();
      await page.getByRole("option", { name: "error" }).click();
      await expect.poll(() => page.getByRole("link", { name: "Greeter" }).count()).toBe(0);
      await page.getByLabel("User").fill("bob");
      await expect.poll(() => new URL(page.url()).search).toBe("?status=ERROR&user=bob");
      await page.reload();
      await page.getByRole("link", { name: "Broken" }).click();
      await page.getByRole("heading", { name: "Run of Broken" }).waitFor();
      await page
        .getByRole("region", { name: "Timeline" })
        .getByRole("button", { name: /^Run Broken \(agent\), failed/ })
        .waitFor();
      await page.goBack();
      await page.getByLabel("Session").fill("nothing");
      await page.getByText("No run matches the filters").waitFor();
      await page.getByRole("button", { name: "Remove the filters" }).click();
      await page.getByRole("link", { name: "Greeter" }).waitFor();
      check();
    }
  });

  test("more runs follow page by page, each once", async () => {
    for (let number = 0; number < 30; number++)
      await run(served.url, "greeter", { session_id: `s-${number}`, user_id: "carol" });
    const { page, check } = await openPage(browser, `${served.console}/runs?user=carol`);
    const links = page.getByRole("link", { name: "Greeter" });
    await expect.poll(() => links.count()).toBe(25);
    await page.getByRole("button", { name: "Show more" }).click();
    await expect.poll(() => links.count()).toBe(30);
    const places = await links.evaluateAll((found) => found.map((link) => link.getAttribute("href")));
    expect(new Set(places).size).toBe(30);
    await page.getByRole("button", { name: "Show more" }).waitFor({ state: "detached" });
    check();
  });

  test("a caller who sees only their own runs gets no filter by user and no other user's run", async () => {
    const pair = makePair();
    const authorization = { verificationKeys: [pair.pem], userIsolation: true };
    await using guarded = await startConsole({ agents, authorization });
    const scopes = ["agents:read", "agents:run", "sessions:read"];
    await run(guarded.url, "greeter", { session_id: "own" }, token({ sub: "alice", scopes }, pair));
    await run(guarded.url, "broken", { session_id: "other" }, token({ sub: "bob", scopes }, pair));
    const { page, check } = await openPage(browser, `${guarded.console}/runs`, { expected: [/status of 401/] });
    await signIn(page, token({ sub: "alice", scopes }, pair));
    await page.getByRole("link", { name: "Greeter" }).waitFor();
    await expect.poll(() => page.getByRole("link", { name: "Broken" }).count()).toBe(0);
    await expect.poll(() => page.getByLabel("User").count()).toBe(0);
    check();
  });
});
