/** The conversation of a session, in a real browser. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { defineAgent } from "../../src/define/agent.ts";
import { defineTeam } from "../../src/define/team.ts";
import { defineTool } from "../../src/define/tool.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { launchBrowser } from "../support/browser.ts";
import { bearer, makePair, token } from "../support/tokens.ts";
import { openPage, signIn } from "./support/browser.ts";
import { type ConsoleServer, inBrowser, startConsole } from "./support/set-up.ts";

const rejected = /status of 401/;
const absent = /status of 404/;
const clock = defineTool({ name: "clock", description: "The time", input: z.object({}), execute: () => "12:00" });
const greeter = defineAgent({
  id: "greeter",
  name: "Greeter",
  tools: [clock],
  maxModelAttempts: 1,
  model: scriptedModel(({ message, results }) => {
    if (message.includes("fail")) return { error: { message: "The model is broken.", status: 400 } };
    if (!message.includes("time")) return "Hello.";
    return results.length > 0 ? "It is noon." : { toolCalls: [{ name: "clock" }] };
  }),
});
const desk = defineTeam({
  id: "desk",
  name: "Desk",
  members: [greeter],
  model: scriptedModel(({ results }) =>
    results.length > 0
      ? "The greeter knows the time."
      : { toolCalls: [{ name: "delegate_task_to_member", input: { member_id: "greeter", task: "Tell the time" } }] },
  ),
});

async function run(
  url: string,
  fields: Record<string, string>,
  { component = "agents/greeter", headers = {} }: { component?: string; headers?: Record<string, string> } = {},
): Promise<void> {
  const body = new URLSearchParams({ stream: "false", ...fields });
  const response = await fetch(`${url}/${component}/runs`, { method: "POST", body, headers });
  await response.text();
}

describe("a conversation in the console (skipped without Chromium: CHROMIUM_PATH)", inBrowser, () => {
  let browser: Browser;
  let served: ConsoleServer;

  beforeAll(async () => {
    [browser, served] = await Promise.all([launchBrowser(), startConsole({ agents: [greeter], teams: [desk] })]);
  });
  afterAll(async () => {
    await browser?.close();
    await served?.[Symbol.asyncDispose]();
  });

  test("a session of the list opens its messages in order, with calls of tools and failures", async () => {
    await run(served.url, { session_id: "day", user_id: "alice", message: "What time is it?" });
    await run(served.url, { session_id: "day", user_id: "alice", message: "Please fail" });
    for (const colorScheme of ["light", "dark"] as const) {
      const { page, check, checkAccessibility } = await openPage(browser, `${served.console}/sessions`, {
        colorScheme,
      });
      await page.getByRole("link", { name: "What time is it?" }).click();
      await page.getByRole("heading", { name: "What time is it?", level: 1 }).waitFor();
      const runs = page.getByRole("article");
      await expect.poll(() => runs.count()).toBe(2);
      const [first, second] = [runs.nth(0), runs.nth(1)];
      const texts = await first.innerText();
      expect(texts.indexOf("What time is it?")).toBeLessThan(texts.indexOf("It is noon."));
      await second.getByText("The model is broken.").waitFor();
      await first.getByText("clock", { exact: true }).focus();
      await first.getByText("clock", { exact: true }).click();
      await first.getByText("12:00").waitFor();
      await checkAccessibility();
      await page.getByText("Newest first").click();
      await expect.poll(() => runs.nth(0).innerText()).toContain("Please fail");
      expect(new URL(page.url()).searchParams.get("order")).toBe("desc");
      check();
    }
  });

  test("the answer of a member is inside the call that asked it, and a message opens its span in the trace", async () => {
    await run(served.url, { session_id: "team", user_id: "alice", message: "Ask for it" }, { component: "teams/desk" });
    const { page, check, checkAccessibility } = await openPage(browser, `${served.console}/sessions/team`);
    const call = page.getByRole("group").filter({ hasText: "Asks greeter" }).first();
    await call.getByText("It is noon.").first().waitFor();
    await expect.poll(() => page.getByRole("article").count()).toBe(1);
    await checkAccessibility();
    const links = page.getByRole("link");
    await expect
      .poll(() => links.filter({ hasText: /^Timeline$/ }).getAttribute("href"))
      .toMatch(/\/runs\/team\/desk\/[^/]+\?session=team$/);
    await expect
      .poll(() => links.filter({ hasText: "Continue in Chat" }).getAttribute("href"))
      .toMatch(/\/chat\/team\/desk\?session=team$/);
    const answers = page.getByRole("button", { name: "Show the message of greeter in the trace" });
    await answers.last().click();
    await page.getByRole("treegrid", { name: "Spans of the trace" }).waitFor();
    await expect.poll(() => page.getByRole("row", { selected: true }).innerText()).toContain("scripted-model");
    await page.goBack();
    await page.getByRole("button", { name: "Show the message of User in the trace" }).click();
    await expect.poll(() => page.getByRole("row", { selected: true }).innerText()).toContain("Desk");
    check();
  });

  test("a picture of a message is shown", async () => {
    const pixel = Buffer.from(
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
      "base64",
    );
    const body = new FormData();
    for (const [name, value] of Object.entries({ message: "Look", stream: "false", session_id: "picture" }))
      body.append(name, value);
    body.append("files", new Blob([pixel], { type: "image/png" }), "dot.png");
    expect((await fetch(`${served.url}/agents/greeter/runs`, { method: "POST", body })).status).toBe(200);
    const { page, check, checkAccessibility } = await openPage(browser, `${served.console}/sessions/picture`);
    const image = page.getByRole("img").first();
    await image.waitFor();
    await expect.poll(() => page.evaluate("document.querySelector('main img')?.naturalWidth")).toBe(1);
    await checkAccessibility();
    check();
  });

  test("a session gets a new name, and is deleted after a confirmation", async () => {
    await run(served.url, { session_id: "carol", user_id: "carol", message: "Hello" });
    const { page, check } = await openPage(browser, `${served.console}/sessions/carol?user=carol`);
    await page.getByRole("button", { name: "Rename" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("Trip to Rome");
    await page.getByRole("dialog").getByRole("button", { name: "Rename" }).click();
    await page.getByRole("heading", { name: "Trip to Rome", level: 1 }).waitFor();
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog", { name: "Delete this session?" }).getByRole("button", { name: "Delete" }).click();
    await page.getByRole("heading", { name: "Sessions", level: 1 }).waitFor();
    expect((await fetch(`${served.url}/sessions/carol?user_id=carol`)).status).toBe(404);
    check();
  });

  test("a session of 300 runs is read in pages, as far as the caller scrolls", { timeout: 240_000 }, async () => {
    for (let begun = 0; begun < 300; begun += 20) {
      const some = Array.from({ length: 20 }, (_, at) =>
        run(served.url, { session_id: "long", user_id: "alice", message: `Hello ${begun + at}` }),
      );
      await Promise.all(some);
    }
    const { page, check } = await openPage(browser, `${served.console}/sessions/long`);
    const shown = page.getByText(/^[\d,]+ runs, and more$/);
    await shown.waitFor();
    await expect.poll(() => page.getByRole("article").count()).toBeLessThanOrEqual(60);
    await page.getByRole("button", { name: "Show more runs" }).scrollIntoViewIfNeeded();
    await expect.poll(() => page.getByRole("article").count()).toBeGreaterThanOrEqual(60);
    while ((await shown.count()) > 0) {
      await page.keyboard.press("End");
      await page.waitForTimeout(150);
    }
    await expect.poll(() => page.getByRole("article").count(), { timeout: 60_000 }).toBe(300);
    await page.getByText("Newest first").click();
    await expect.poll(() => page.getByRole("article").count(), { timeout: 60_000 }).toBeLessThanOrEqual(60);
    check();
  });

  test("a caller sees no session of another user, and one that may only read sees no action", async () => {
    const pair = makePair();
    const authorization = { verificationKeys: [pair.pem], userIsolation: true };
    await using isolated = await startConsole({ agents: [greeter], authorization });
    const writer = { sub: "alice", scopes: ["agents:*:run", "agents:*:read", "sessions:read"] };
    const headers = bearer(token(writer, pair));
    await run(isolated.url, { session_id: "s-alice", message: "Hello" }, { headers });
    const readers = { scopes: ["sessions:read"] };
    const bob = await openPage(browser, `${isolated.console}/sessions/s-alice`, { expected: [rejected, absent] });
    await signIn(bob.page, token({ sub: "bob", ...readers }, pair));
    await bob.page.getByRole("heading", { name: "There is no such session" }).waitFor();
    await bob.checkAccessibility();
    bob.check();
    const alice = await openPage(browser, `${isolated.console}/sessions/s-alice`, { expected: [rejected] });
    await signIn(alice.page, token({ sub: "alice", ...readers }, pair));
    await alice.page.getByRole("article").getByText("Hello.").waitFor();
    for (const name of ["Rename", "Delete", "Trace"])
      await expect.poll(() => alice.page.getByRole("button", { name, exact: true }).count()).toBe(0);
    await expect.poll(() => alice.page.getByRole("link", { name: "Continue in Chat" }).count()).toBe(0);
    alice.check();
  });
});
