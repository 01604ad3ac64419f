/** The screen with usage, durations and limits, in a real browser. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { defineAgent } from "../../src/define/agent.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { launchBrowser } from "../support/browser.ts";
import { bearer, makePair, token } from "../support/tokens.ts";
import { openPage, signIn } from "./support/browser.ts";
import { type ConsoleServer, inBrowser, startConsole } from "./support/set-up.ts";

const rejected = /status of 401/;
const usage = { input: 100, output: 10 };
const pair = makePair();
const admin = token({ sub: "root", scopes: ["agent_os:admin"] }, pair);
const scopes = ["agents:run", "metrics:read", "traces:read", "sessions:read"];

function agentWith(id: string, modelId: string) {
  return defineAgent({
    ...{ id, maxModelAttempts: 1, limits: { perDay: { modelRequests: 4 } } },
    model: scriptedModel(
      ({ message }) =>
        message === "fail" ? { error: { message: "The model is broken.", status: 400 } } : { text: "done", usage },
      { modelId, provider: "maker" },
    ),
  });
}

describe("the usage of the console (skipped without Chromium: CHROMIUM_PATH)", inBrowser, () => {
  let browser: Browser;
  let served: ConsoleServer;

  async function run(user: string, agent: string, message: string): Promise<void> {
    const headers = bearer(token({ sub: user, scopes }, pair));
    const body = new URLSearchParams({ message, stream: "false" });
    await fetch(`${served.url}/agents/${agent}/runs`, { method: "POST", body, headers });
  }

  beforeAll(async () => {
    const hosted = {
      agents: [agentWith("writer", "large"), agentWith("reader", "small")],
      authorization: { verificationKeys: [pair.pem], userIsolation: true },
      limits: { perDay: { cost: 1 }, user: { perDay: { tokens: 1000 } } },
      prices: { "maker:large": { input: 10, output: 100 }, "maker:small": { input: 1, output: 10 } },
    };
    [browser, served] = await Promise.all([launchBrowser(), startConsole(hosted)]);
  });
  afterAll(async () => {
    await browser?.close();
    await served?.[Symbol.asyncDispose]();
  });

  /** Opens the screen as a caller. */
  async function openAs(caller: string, query = "", colorScheme: "light" | "dark" = "light") {
    const opened = await openPage(browser, `${served.console}/usage${query}`, { colorScheme, expected: [rejected] });
    await signIn(opened.page, caller);
    return opened;
  }

  test("without runs, the screen shows how to begin; counting ended runs fills it", async () => {
    const { page, check, checkAccessibility } = await openAs(admin);
    await page.getByText("No model requests in this period").waitFor();
    await checkAccessibility();
    await run("alice", "writer", "hello");
    await run("alice", "writer", "fail");
    await run("bob", "reader", "hello");
    await page.getByRole("button", { name: "Count ended runs now" }).click();
    const days = page.getByRole("table", { name: "Usage by day and model" });
    await days.getByRole("row").filter({ hasText: "large" }).getByText("$0.002").waitFor();
    await days.getByRole("row").filter({ hasText: "small" }).waitFor();
    check();
  });

  test("tables beside the charts have the same facts, for each group that the URL selects, in both colour schemes", async () => {
    const { page, check } = await openAs(admin, "?period=30d&measure=tokens&by=model");
    const models = page.getByRole("table", { name: "Durations by model" });
    await expect
      .poll(() =>
        models
          .getByRole("row")
          .filter({ hasText: /large.*maker.*1 \(50 %\)/ })
          .count(),
      )
      .toBe(1);
    await expect.poll(() => page.locator(".recharts-bar-rectangle").count()).toBeGreaterThan(1);
    await page.getByRole("radiogroup", { name: "Group by" }).getByText("User").click();
    const users = page.getByRole("table", { name: "Durations by user" });
    await users.getByRole("link", { name: "alice" }).waitFor();
    expect(new URL(page.url()).searchParams.get("by")).toBe("user");
    await page.getByRole("radiogroup", { name: "Period" }).getByText("Today").click();
    await page.reload();
    await signIn(page, admin);
    await users.getByRole("link", { name: "bob" }).click();
    await page.getByRole("heading", { name: "Traces", level: 1 }).waitFor();
    expect(new URL(page.url()).searchParams.get("user")).toBe("bob");
    for (const colorScheme of ["light", "dark"] as const) {
      const other = await openAs(admin, "?by=component", colorScheme);
      await other.page.getByRole("table", { name: "Durations by component" }).getByText("writer").waitFor();
      await other.checkAccessibility();
      other.check();
    }
    check();
  });

  test("limits show how close they are, also for another user", async () => {
    const { page, check } = await openAs(admin, "?user=alice");
    await page.getByRole("progressbar", { name: "tokens of user alice per day" }).waitFor();
    await page.getByText("110 of 1,000").waitFor();
    await page.getByText("1 of 4").first().waitFor();
    await page.getByText("25 %").first().waitFor();
    check();
  });

  test("a caller with user isolation sees its own usage and limits, and no action that it may not use", async () => {
    const { page, check } = await openAs(token({ sub: "bob", scopes }, pair));
    const days = page.getByRole("table", { name: "Usage by day and model" });
    await days.getByRole("row").filter({ hasText: "small" }).waitFor();
    await expect.poll(() => days.getByText("large").count()).toBe(0);
    await page.getByRole("table", { name: "Durations by component" }).getByText("reader").waitFor();
    await expect.poll(() => page.getByText("writer").count()).toBe(0);
    await expect.poll(() => page.getByRole("progressbar").count()).toBe(1);
    await expect.poll(() => page.getByRole("button", { name: "Count ended runs now" }).count()).toBe(0);
    const reader = await openAs(token({ sub: "bob", scopes: ["sessions:read"] }, pair));
    await reader.page.getByRole("heading", { name: "Limits" }).waitFor();
    await expect.poll(() => reader.page.getByRole("table").count()).toBe(0);
    check();
    reader.check();
  });
});
