/** The screens with traces, in a real browser. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { defineAgent } from "../../src/define/agent.ts";
import { defineTool } from "../../src/define/tool.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { launchBrowser } from "../support/browser.ts";
import { bearer, makePair, token } from "../support/tokens.ts";
import { openPage, signIn } from "./support/browser.ts";
import { type ConsoleServer, inBrowser, startConsole } from "./support/set-up.ts";

const rejected = /status of 401/;
const clock = defineTool({ name: "clock", description: "The time", input: z.object({}), execute: () => "12:00" });
const greeter = defineAgent({
  id: "greeter",
  tools: [clock],
  maxModelAttempts: 1,
  model: scriptedModel(({ message, results }) => {
    if (message.includes("fail")) return { error: { message: "The model is broken.", status: 400 } };
    return results.length > 0 ? "It is noon." : { toolCalls: [{ name: "clock" }] };
  }),
});

/** Runs the agent, and waits until its trace is in the list. */
async function run(url: string, fields: Record<string, string>, headers: Record<string, string> = {}): Promise<void> {
  const body = new URLSearchParams({ stream: "false", ...fields });
  const response = await fetch(`${url}/agents/greeter/runs`, { method: "POST", body, headers });
  const { run_id: id } = (await response.json()) as { run_id: string };
  await expect
    .poll(
      async () => {
        const found = (await (await fetch(`${url}/traces?run_id=${id}`, { headers })).json()) as { data: unknown[] };
        return found.data.length;
      },
      { timeout: 60_000 },
    )
    .toBe(1);
}

describe("the traces of the console (skipped without Chromium: CHROMIUM_PATH)", inBrowser, () => {
  let browser: Browser;
  let served: ConsoleServer;

  beforeAll(async () => {
    [browser, served] = await Promise.all([launchBrowser(), startConsole({ agents: [greeter] })]);
  });
  afterAll(async () => {
    await browser?.close();
    await served?.[Symbol.asyncDispose]();
  });

  test("an empty list shows the command that starts a run", async () => {
    const { page, check, checkAccessibility } = await openPage(browser, `${served.console}/traces`);
    await page.getByText("No traces yet").waitFor();
    await expect.poll(() => page.getByText(`curl ${served.url}/agents/`).count()).toBe(1);
    await checkAccessibility();
    check();
  });

  test("filters are in the URL, a reload keeps them, and each of them narrows the list", async () => {
    await run(served.url, { message: "What time is it?", user_id: "alice", session_id: "s-alice" });
    await run(served.url, { message: "Please fail", user_id: "bob", session_id: "s-bob" });
    const { page, check, checkAccessibility } = await openPage(browser, `${served.console}/traces`);
    const [good, bad] = [
      page.getByRole("link", { name: "What time is it?" }),
      page.getByRole("link", { name: "Please fail" }),
    ];
    await bad.waitFor();
    await expect
      .poll(() => page.getByRole("row").filter({ hasText: "Please fail" }).getByText("Failed").count())
      .toBe(2);
    await checkAccessibility();
    await page.getByRole("combobox", { name: "Result" }).click();
    await page.getByRole("option", { name: "failed" }).click();
    await expect.poll(() => good.count()).toBe(0);
    expect(new URL(page.url()).searchParams.get("status")).toBe("ERROR");
    await page.reload();
    await bad.waitFor();
    await expect.poll(() => good.count()).toBe(0);
    for (const query of ["user=alice", "session=s-alice", "component=greeter&kind=agent&user=alice", "status=OK"]) {
      await page.goto(`${served.console}/traces?${query}`);
      await good.waitFor();
      await expect.poll(() => bad.count()).toBe(0);
    }
    for (const query of ["kind=team", "component=other", "text=other", "slower=3600000"]) {
      await page.goto(`${served.console}/traces?${query}`);
      await page.getByText("No trace matches the filters").waitFor();
    }
    await page.goto(`${served.console}/traces?period=1h&text=greeter&kind=agent`);
    await good.waitFor();
    check();
  });

  test("a trace shows its spans, texts and attributes, and the keyboard alone moves in the tree", async () => {
    for (const colorScheme of ["light", "dark"] as const) {
      const { page, check, checkAccessibility } = await openPage(browser, `${served.console}/traces?status=OK`, {
        colorScheme,
      });
      await page.getByRole("link", { name: "What time is it?" }).click();
      const tree = page.getByRole("treegrid", { name: "Spans of the trace" });
      await tree.getByRole("row", { name: /clock tool/ }).waitFor();
      await expect.poll(() => tree.getByRole("row").count()).toBe(6);
      await page.getByText("It is noon.").waitFor();
      await checkAccessibility();
      const [root] = await tree.getByRole("row", { selected: true }).all();
      await root?.focus();
      await page.keyboard.press("ArrowLeft");
      await expect.poll(() => tree.getByRole("row").count()).toBe(2);
      await page.keyboard.press("ArrowRight");
      for (let moves = 0; moves < 3; moves++) await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "execute_tool clock" }).waitFor();
      await expect.poll(() => page.getByText('"gen_ai.tool.name"').count()).toBe(1);
      const chosen = page.url();
      expect(new URL(chosen).searchParams.get("span")).toMatch(/^\d|[a-f]/);
      await page.goto(chosen);
      await page.getByRole("heading", { name: "execute_tool clock" }).waitFor();
      check();
    }
  });

  test("the page of a failed run shows its error; an unknown trace shows that it does not exist", async () => {
    const { page, check } = await openPage(browser, `${served.console}/traces?status=ERROR`, {
      expected: [/status of 404/],
    });
    await page.getByRole("link", { name: "Please fail" }).click();
    await page.getByRole("heading", { name: "Error" }).waitFor();
    await expect.poll(() => page.getByText("The model is broken.").count()).toBeGreaterThan(0);
    await page.goto(`${served.console}/traces/${"0".repeat(31)}1`);
    await page.getByText("It does not exist").waitFor();
    check();
  });

  test("a caller with user isolation sees its own traces; without the scope, the screen is not in the navigation", async () => {
    const pair = makePair();
    const authorization = { verificationKeys: [pair.pem], userIsolation: true };
    await using isolated = await startConsole({ agents: [greeter], authorization });
    const scopes = ["agents:run", "traces:read"];
    const [alice, bob] = [token({ sub: "alice", scopes }, pair), token({ sub: "bob", scopes }, pair)];
    await run(isolated.url, { message: "I am Alice" }, bearer(alice));
    await run(isolated.url, { message: "I am Bob" }, bearer(bob));
    const { page, check } = await openPage(browser, `${isolated.console}/traces`, {
      expected: [rejected, /status of 404/],
    });
    await signIn(page, alice);
    await page.getByRole("link", { name: "I am Alice" }).waitFor();
    await expect.poll(() => page.getByText("I am Bob").count()).toBe(0);
    const found = await fetch(`${isolated.url}/traces`, { headers: bearer(bob) });
    const [first] = ((await found.json()) as { data: { trace_id: string }[] }).data;
    const stranger = await openPage(browser, `${isolated.console}/traces/${first?.trace_id}`, {
      expected: [rejected, /status of 404/],
    });
    await signIn(stranger.page, alice);
    await stranger.page.getByText("It does not exist").waitFor();
    const other = await openPage(browser, isolated.console, { expected: [rejected] });
    await signIn(other.page, token({ sub: "carol", scopes: ["agents:read"] }, pair));
    await other.page.getByRole("heading", { name: "Home" }).waitFor();
    await expect
      .poll(() => other.page.getByRole("navigation", { name: "Screens" }).getByText("Traces").count())
      .toBe(0);
    for (const one of [{ check }, stranger, other]) one.check();
  });
});
