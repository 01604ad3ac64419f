/** Questions of paused runs in the chat: values, choices, reviews, results of external calls, and approvals of another person. Suggested messages. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { defineAgent } from "../../src/define/agent.ts";
import { defineTool } from "../../src/define/tool.ts";
import { router, step } from "../../src/define/workflow/steps.ts";
import { defineWorkflow } from "../../src/define/workflow/workflow.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { launchBrowser } from "../support/browser.ts";
import { bearer, makePair, token } from "../support/tokens.ts";
import { openPage, signIn } from "./support/browser.ts";
import { type ConsoleServer, inBrowser, startConsole } from "./support/set-up.ts";

const patient = { timeout: 30_000 };

const clerk = defineAgent({
  id: "clerk",
  name: "Clerk",
  tools: [
    defineTool({ name: "by_hand", description: "By hand.", input: z.object({ text: z.string() }), external: true }),
    defineTool({
      name: "wire_money",
      description: "Wire money.",
      input: z.object({ amount: z.number() }),
      approval: "required",
      execute: ({ amount }) => `wired ${amount}`,
    }),
  ],
  model: scriptedModel(({ message, results: [result] }) => {
    if (result) return `Result: ${result.text}`;
    if (message === "wire") return { toolCalls: [{ name: "wire_money", input: { amount: 30 } }] };
    return message === "hand" ? { toolCalls: [{ name: "by_hand", input: { text: "stamp" } }] } : `You said ${message}.`;
  }),
});
const trip = defineWorkflow({
  id: "trip",
  name: "Trip",
  steps: [
    step({
      name: "who",
      userInput: { message: "Who travels?", fields: [{ name: "traveller" }, { name: "bags", type: "int" }] },
      run: ({ userInput }) => `${userInput?.traveller} with ${userInput?.bags} bags`,
    }),
    router({
      name: "way",
      choices: [
        step({ name: "train", run: ({ previous }) => `${previous} by train` }),
        step({ name: "boat", run: ({ previous }) => `${previous} by boat` }),
      ],
    }),
    step({ name: "letter", review: true, run: ({ previous }) => `Dear guest: ${previous}` }),
    step({ name: "post", run: ({ previous }) => `Posted: ${previous}` }),
  ],
});
const hosted = { agents: [clerk], workflows: [trip], quickPrompts: { clerk: ["Good morning", "hand"] } };

async function send(page: Page, message: string) {
  await page.getByRole("textbox", { name: /^Message to/ }).fill(message);
  await page.keyboard.press("Enter");
  const answer = page.getByRole("article").last();
  await answer.waitFor(patient);
  return answer;
}

describe("questions in the chat (skipped without Chromium: CHROMIUM_PATH)", inBrowser, () => {
  let browser: Browser;
  let served: ConsoleServer;

  beforeAll(async () => {
    [browser, served] = await Promise.all([launchBrowser(), startConsole(hosted)]);
  });
  afterAll(async () => {
    await browser?.close();
    await served?.[Symbol.asyncDispose]();
  });

  test("an empty chat suggests the messages of the platform, and a click sends one", async () => {
    const { page, check, checkAccessibility } = await openPage(browser, `${served.console}/chat/agent/clerk`);
    const suggestions = page.getByRole("group", { name: "Suggestions" });
    await suggestions.waitFor(patient);
    expect(await suggestions.getByRole("button").allInnerTexts()).toEqual(["Good morning", "hand"]);
    await checkAccessibility();
    await suggestions.getByRole("button", { name: "Good morning" }).click();
    await page.getByText("You said Good morning.").waitFor(patient);
    expect(await suggestions.count()).toBe(0);
    await page.getByRole("button", { name: "New chat" }).click();
    await suggestions.waitFor(patient);
    check();
  });

  test("a workflow's values, choice and reviewed output are entered one after the other", async () => {
    const { page, check, checkAccessibility } = await openPage(browser, `${served.console}/chat/workflow/trip`);
    const answer = await send(page, "Rome");
    await answer.getByText("Who travels?").waitFor(patient);
    await answer.getByRole("button", { name: "Send the answer" }).click();
    await answer.getByLabel("traveller").fill("Ada");
    await answer.getByLabel("bags").fill("2");
    await checkAccessibility();
    await answer.getByRole("button", { name: "Send the answer" }).click();
    await answer.getByRole("radio", { name: "boat" }).waitFor(patient);
    await checkAccessibility();
    await answer.getByRole("button", { name: "Send the answer" }).click();
    await answer.getByRole("alert").getByText("Choose at least one.").waitFor(patient);
    await answer.getByRole("radio", { name: "boat" }).check();
    await answer.getByRole("button", { name: "Send the answer" }).click();
    const output = answer.getByRole("textbox", { name: "Output to use" });
    await output.waitFor(patient);
    expect(await output.inputValue()).toBe("Dear guest: Ada with 2 bags by boat");
    await output.fill("Dear Ada: two bags, by boat");
    await checkAccessibility();
    await answer.getByRole("button", { name: "Accept" }).click();
    await answer.getByText("Posted: Dear Ada: two bags, by boat").first().waitFor(patient);
    check();
  });

  test("the caller makes an external call, and the model receives the entered result", async () => {
    const { page, check, checkAccessibility } = await openPage(browser, `${served.console}/chat/agent/clerk`);
    const answer = await send(page, "hand");
    await answer.getByLabel("Result").waitFor(patient);
    await checkAccessibility();
    await answer.getByLabel("Result").fill("stamped twice");
    await answer.getByRole("button", { name: "Send the answer" }).click();
    await answer.getByText("Result: stamped twice").waitFor(patient);
    check();
  });

  test("after an admin's approval the caller continues the run in the chat, and another one among the approvals", async () => {
    const pair = makePair();
    await using guarded = await startConsole({
      ...hosted,
      authorization: { verificationKeys: [pair.pem], userIsolation: true },
    });
    const scopes = ["agents:read", "agents:run", "sessions:read", "approvals:read"];
    const ada = token({ sub: "ada", scopes }, pair);
    const admin = bearer(token({ sub: "root", scopes: ["agent_os:admin"] }, pair));
    const approve = async (run: string): Promise<string> => {
      const list = await fetch(`${guarded.url}/approvals?run_id=${run}`, { headers: admin });
      const { data } = (await list.json()) as { data: readonly [{ id: string }] };
      const resolved = await fetch(`${guarded.url}/approvals/${data[0].id}/resolve`, {
        method: "POST",
        headers: { ...admin, "content-type": "application/json" },
        body: JSON.stringify({ status: "approved" }),
      });
      expect(resolved.status).toBe(200);
      return data[0].id;
    };
    const expected = [/status of 401/];
    const { page, check } = await openPage(browser, `${guarded.console}/chat/agent/clerk`, { expected });
    await signIn(page, ada);
    const answer = await send(page, "wire");
    await answer.getByText("It waits for a person who may approve.").waitFor(patient);
    await approve(new URL(page.url()).searchParams.get("run") ?? "");
    await answer.getByRole("button", { name: "Continue" }).click();
    await answer.getByText("Result: wired 30").waitFor(patient);
    check();

    const started = await fetch(`${guarded.url}/agents/clerk/runs`, {
      method: "POST",
      headers: bearer(ada),
      body: new URLSearchParams({ message: "wire", stream: "false", session_id: "other" }),
    });
    const { run_id: run } = (await started.json()) as { run_id: string };
    const id = await approve(run);
    const list = await openPage(browser, `${guarded.console}/approvals?tab=approvals&status=all&open=${id}`, {
      expected,
    });
    await signIn(list.page, ada);
    await list.page.getByRole("button", { name: "Continue the run" }).click();
    await list.page.getByText(/The run continues\./).waitFor(patient);
    const record = async (): Promise<unknown> => {
      const answered = await fetch(`${guarded.url}/agents/clerk/runs/${run}?session_id=other`, {
        headers: bearer(ada),
      });
      return ((await answered.json()) as { content?: unknown }).content;
    };
    await expect.poll(record, patient).toBe("Result: wired 30");
    list.check();
  });
});
