/** The start screen of the console: components, live runs, failures and replicas. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { defineAgent } from "../../src/define/agent.ts";
import { defineTeam } from "../../src/define/team.ts";
import { defineWorkflow, step } from "../../src/index.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { launchBrowser } from "../support/browser.ts";
import { makePair, token } from "../support/tokens.ts";
import { openPage, signIn } from "./support/browser.ts";
import { inBrowser, startConsole } from "./support/set-up.ts";

const pair = makePair();
const expected = [/status of 401/];
const usage = { input: 100, output: 11 };

const writer = defineAgent({
  id: "writer",
  name: "Writer",
  model: scriptedModel(({ message }) => {
    if (message === "fail") throw new Error("The model is away.");
    return { text: "Done.", usage };
  }),
});
const desk = defineTeam({ id: "desk", name: "News desk", model: scriptedModel(() => "Done."), members: [writer] });
const review = defineWorkflow({
  id: "review",
  name: "Review",
  steps: [
    step({ name: "draft", agent: writer }),
    step({ name: "publish", confirm: "Publish?", run: () => "Published" }),
  ],
});
const hosted = { agents: [writer], teams: [desk], workflows: [review] };

async function start(url: string, path: string, fields: Record<string, string>, headers = {}): Promise<void> {
  const body = new URLSearchParams({ message: "hello", stream: "false", ...fields });
  const response = await fetch(`${url}${path}/runs`, { method: "POST", body, headers });
  expect([200, 500]).toContain(response.status);
}

describe("Home of the console (skipped without Chromium: CHROMIUM_PATH)", inBrowser, () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());

  test("shows components, live runs with their tokens, failures with their reason, and the replica", async () => {
    await using served = await startConsole(hosted);
    for (const colorScheme of ["light", "dark"] as const) {
      const { page, check, checkAccessibility } = await openPage(browser, served.console, { colorScheme });
      if (colorScheme === "light") {
        await page.getByText("No run is live").waitFor();
        await page.getByText("No run has failed").waitFor();
        await expect.poll(() => page.getByText(`curl -N ${served.url}/teams/desk/runs`).count()).toBe(1);
        await start(served.url, "/workflows/review", { session_id: "s", user_id: "alice" });
        await start(served.url, "/agents/writer", { message: "fail" });
      }
      const live = page.getByRole("table", { name: "Live runs" }).getByRole("row").filter({ hasText: "Review" });
      await live.getByText("Paused").waitFor();
      await expect.poll(() => live.getByText("111", { exact: true }).count()).toBe(1);
      await page
        .getByRole("table", { name: "Recent failures" })
        .getByText("The model is away.")
        .waitFor({ timeout: 60_000 });
      await page
        .getByRole("table", { name: "Replicas" })
        .getByText(/s left$/)
        .waitFor();
      await page.getByText("News desk").waitFor();
      await checkAccessibility();
      check();
    }
  });

  test("a caller sees its own runs only, and only the sections that its scopes permit", async () => {
    await using served = await startConsole({
      ...hosted,
      authorization: { verificationKeys: [pair.pem], userIsolation: true },
    });
    const tokenOf = (sub: string, scopes: readonly string[]) => token({ sub, scopes }, pair);
    const all = ["sessions:read", "agents:read", "agents:run", "workflows:run"];
    const authorization = `Bearer ${tokenOf("alice", all)}`;
    await start(served.url, "/workflows/review", { session_id: "s" }, { authorization });
    const open = async (sub: string, scopes: readonly string[]) => {
      const opened = await openPage(browser, served.console, { expected });
      await signIn(opened.page, tokenOf(sub, scopes));
      await opened.page.getByRole("heading", { name: "Components" }).waitFor();
      return opened;
    };
    const alice = await open("alice", all);
    await alice.page.getByRole("table", { name: "Live runs" }).getByText("Review").waitFor();
    await expect.poll(() => alice.page.getByRole("heading", { name: "Replicas" }).count()).toBe(0);
    const bob = await open("bob", all);
    await bob.page.getByText("No run is live").waitFor();
    const reader = await open("carol", ["agents:read"]);
    await reader.page.getByText("Writer").first().waitFor();
    await expect.poll(() => reader.page.getByRole("heading", { name: "Live runs" }).count()).toBe(0);
    for (const { check } of [alice, bob, reader]) check();
  });
});
