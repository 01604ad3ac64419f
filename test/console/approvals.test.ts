/** The screen with waiting runs and approvals, in a real browser. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { defineAgent, defineTeam, defineTool, defineWorkflow, router, step } from "../../src/index.ts";
import { type ScriptedCall, scriptedModel } from "../../src/testing/index.ts";
import { launchBrowser } from "../support/browser.ts";
import { bearer, makePair, token } from "../support/tokens.ts";
import { openPage, signIn } from "./support/browser.ts";
import { type ConsoleServer, inBrowser, startConsole } from "./support/set-up.ts";

const calls: Readonly<Record<string, { name: string; input: Record<string, unknown> }>> = {
  wire: { name: "wire_money", input: { amount: 5 } },
  mail: { name: "send_mail", input: { to: "ada" } },
  sign: { name: "sign", input: { text: "hi" } },
  hand: { name: "by_hand", input: { text: "weigh it" } },
};

function answer({ message, results, tools }: ScriptedCall) {
  if (results.length > 0) return `Tool said: ${results.map(({ text }) => text).join(", ")}`;
  if (tools.includes("delegate_task_to_member"))
    return { toolCalls: [{ name: "delegate_task_to_member", input: { member_id: "cashier", task: message } }] };
  const asked = Object.entries(calls).filter(([word]) => message.includes(word));
  return asked.length > 0 ? { toolCalls: asked.map(([, call]) => call) } : "Nothing to do.";
}

const model = scriptedModel(answer);
const text = z.object({ text: z.string() });
const cashier = defineAgent({
  id: "cashier",
  name: "Cashier",
  model,
  tools: [
    defineTool({
      name: "wire_money",
      description: "Wire money.",
      input: z.object({ amount: z.number() }),
      approval: "required",
      execute: ({ amount }) => `wired ${amount}`,
    }),
    defineTool({
      name: "send_mail",
      description: "Send a mail.",
      input: z.object({ to: z.string() }),
      confirm: true,
      execute: ({ to }) => `sent to ${to}`,
    }),
    defineTool({
      name: "sign",
      description: "Sign.",
      input: text.extend({ name: z.string(), copies: z.number().int().max(9) }),
      userInput: ["name", "copies"],
      approval: "required",
      execute: (given) => `${given.text}, ${given.name}, ${given.copies}`,
    }),
    defineTool({ name: "by_hand", description: "By hand.", input: text, external: true }),
  ],
});
const desk = defineTeam({ id: "desk", name: "Desk", model, members: [cashier] });
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
      choices: [step({ name: "train", run: () => "by train" }), step({ name: "boat", run: () => "by boat" })],
    }),
    step({ name: "letter", review: true, run: ({ previous }) => `Dear guest: ${previous}` }),
    step({
      name: "book",
      confirm: "Book it?",
      answerTimeout: 3_600_000,
      onTimeout: "cancel",
      run: ({ previous }) => previous,
    }),
  ],
});
const quick = defineWorkflow({
  id: "quick",
  name: "Quick",
  steps: [step({ name: "go", confirm: "Go on?", run: () => "gone" })],
});
const hosted = { agents: [cashier], teams: [desk], workflows: [trip, quick] };

let number = 0;

// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
type Any = any;

async function start(served: ConsoleServer, component: string, message: string, headers = {}, user?: string) {
  const body = new URLSearchParams({
    message,
    stream: "false",
    session_id: `s-${++number}`,
    ...(user && { user_id: user }),
  });
  const response = await fetch(`${served.url}/${component}/runs`, { method: "POST", body, headers });
  const run: Any = await response.json();
  expect(run.status).toBe("PAUSED");
  return {
    ...(run as { run_id: string; session_id: string }),
    async ended(status = "COMPLETED"): Promise<Any> {
      const path = `${served.url}/${component}/runs/${run.run_id}?session_id=${run.session_id}`;
      let record: Any;
      await expect
        .poll(async () => {
          record = await (await fetch(path, { headers })).json();
          return record.status;
        })
        .toBe(status);
      return record;
    },
  };
}

const row = (page: Page, name: string) => page.getByRole("row").filter({ hasText: name });

describe("the approvals of the console (skipped without Chromium: CHROMIUM_PATH)", inBrowser, () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());

  describe("on an open server", () => {
    let served: ConsoleServer;

    // A second attempt of a test must not find the data of the first.
    beforeEach(async () => {
      await served?.[Symbol.asyncDispose]();
      served = await startConsole(hosted);
    });
    afterAll(() => served?.[Symbol.asyncDispose]());

    const open = (query = "", options = {}) => openPage(browser, `${served.console}/approvals${query}`, options);

    test("empty lists show what would wait, and a command", async () => {
      const { page, check, checkAccessibility } = await open();
      await page.getByText("No run waits for a person").waitFor();
      await page.getByRole("tab", { name: "Approvals" }).click();
      await page.getByText("No approval is pending").waitFor();
      expect(new URL(page.url()).searchParams.get("tab")).toBe("approvals");
      await checkAccessibility();
      check();
    });

    test("a confirmation in the list continues the run, and the navigation counts what waits", async () => {
      const run = await start(served, "workflows/quick", "now");
      const { page, check, checkAccessibility } = await open("", { colorScheme: "dark" });
      await page.getByRole("navigation", { name: "Screens" }).getByText("1 waiting").waitFor();
      await checkAccessibility();
      await page.getByRole("button", { name: "Approve Go on?" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Approve" }).click();
      await page.getByText("Answered; the run continues.").waitFor();
      expect((await run.ended()).content).toBe("gone");
      await page.getByText("No run waits for a person").waitFor();
      check();
    });

    test("a workflow's values, choice, review and confirmation with a deadline are answered in the panel", async () => {
      const run = await start(served, "workflows/trip", "now");
      const { page, check, checkAccessibility } = await open(`?open=${run.run_id}`);
      const panel = page.getByRole("dialog", { name: "Waiting run" });
      await panel.getByRole("button", { name: "Send the answer" }).click();
      await panel.getByText("Enter a value for traveller.").waitFor();
      await panel.getByLabel("traveller").fill("Ada");
      await panel.getByLabel("bags").fill("2");
      await checkAccessibility();
      await panel.getByRole("button", { name: "Send the answer" }).click();

      await page.getByRole("button", { name: "Answer Which way does the run go?" }).click();
      await panel.getByRole("radio", { name: "boat" }).check();
      await panel.getByRole("button", { name: "Send the answer" }).click();

      await page.getByRole("button", { name: /^Answer .*output/ }).click();
      await panel.getByRole("radio", { name: "Accept" }).check();
      await panel.getByLabel("Output to use").fill("Dear Ada, by boat");
      await checkAccessibility();
      await panel.getByRole("button", { name: "Send the answer" }).click();

      await row(page, "Book it?")
        .getByRole("cell", { name: /^59 min \d+ s$/ })
        .waitFor();
      await page.getByRole("button", { name: "Approve Book it?" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Approve" }).click();
      expect((await run.ended()).content).toBe("Dear Ada, by boat");
      check();
    });

    test("an external call gets its result, and a rejection with a note reaches the model", async () => {
      const byHand = await start(served, "agents/cashier", "hand");
      const mail = await start(served, "teams/desk", "mail");
      const { page, check } = await open();
      await page.getByRole("button", { name: "Answer by_hand" }).click();
      const panel = page.getByRole("dialog", { name: "Waiting run" });
      await panel.getByLabel("Result").fill("3 kg");
      await panel.getByRole("button", { name: "Send the answer" }).click();
      expect((await byHand.ended()).content).toBe("Tool said: 3 kg");
      await page.getByRole("button", { name: "Reject send_mail" }).click();
      await page.getByLabel("Note").fill("Too late today");
      await page.getByRole("dialog").getByRole("button", { name: "Reject" }).click();
      const record = await mail.ended();
      expect(JSON.stringify(record.requirements)).toContain("Too late today");
      check();
    });

    test("filters by component are in the URL, and a reload keeps them", async () => {
      const mail = await start(served, "agents/cashier", "mail");
      const go = await start(served, "workflows/quick", "now");
      const { page, check } = await open();
      await row(page, "Go on?").waitFor();
      await row(page, "send_mail").waitFor();
      await page.getByRole("combobox", { name: "Component" }).click();
      await page.getByRole("option", { name: "Quick (workflow)" }).click();
      await expect.poll(() => row(page, "send_mail").count()).toBe(0);
      expect(new URL(page.url()).searchParams.get("component")).toBe("workflow:quick");
      await page.reload();
      await row(page, "Go on?").waitFor();
      await expect.poll(() => row(page, "send_mail").count()).toBe(0);
      check();
      for (const one of [mail, go])
        await fetch(`${served.url}/${one === mail ? "agents/cashier" : "workflows/quick"}/runs/${one.run_id}/cancel`, {
          method: "POST",
        });
    });

    test("several approvals are approved at once; one that another caller has rejected is reported", async () => {
      const first = await start(served, "agents/cashier", "wire", {}, "ada");
      const second = await start(served, "agents/cashier", "wire", {}, "bob");
      const { page, check, checkAccessibility } = await open("?tab=approvals", { expected: [/status of 409/] });
      await row(page, "ada").waitFor();
      await page.getByRole("checkbox", { name: "Select all approvals of this page" }).check();
      const { data }: Any = await (await fetch(`${served.url}/approvals?run_id=${second.run_id}`)).json();
      await fetch(`${served.url}/approvals/${data[0].id}/resolve`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ status: "rejected", resolved_by: "carol" }),
      });
      await page.getByRole("button", { name: "Approve 2" }).click();
      await page.getByRole("dialog", { name: "Approve 2 requests?" }).getByRole("button", { name: "Approve" }).click();
      await page.getByText("1 of 2 decisions are sent").waitFor();
      await page.getByText(/Another caller was first: it is already rejected by carol/).waitFor();
      await checkAccessibility();
      expect((await first.ended()).content).toBe("Tool said: wired 5");
      await page.getByRole("combobox", { name: "State" }).click();
      await page.getByRole("option", { name: "rejected" }).click();
      await row(page, "bob").getByText("by carol").waitFor();
      check();
    });

    test("the arguments of an approval are edited before it; a value that the tool rejects is explained", async () => {
      const run = await start(served, "agents/cashier", "sign");
      const { page, check } = await open("?tab=approvals", { expected: [/status of 400/] });
      await page.getByRole("button", { name: "sign", exact: true }).click();
      const panel = page.getByRole("dialog", { name: "Approval" });
      await panel.getByLabel("text").fill("hello");
      await panel.getByLabel("name").fill("Ada");
      await panel.getByLabel("copies").fill("12");
      await panel.getByRole("button", { name: "Approve" }).click();
      await page.getByText(/user input 'copies'/).waitFor();
      await page.getByRole("button", { name: "sign", exact: true }).click();
      await panel.getByLabel("text").fill("hello");
      await panel.getByLabel("name").fill("Ada");
      await panel.getByLabel("copies").fill("2");
      await panel.getByRole("button", { name: "Approve" }).click();
      await page.getByText("Approved; the run continues.").waitFor();
      expect((await run.ended()).content).toBe("Tool said: hello, Ada, 2");
      check();
    });
  });

  describe("with authorization", () => {
    const pair = makePair();
    const ada = { sub: "ada", scopes: ["agents:run", "agents:read", "sessions:read", "approvals:read"] };
    const bob = { ...ada, sub: "bob" };
    const admin = { sub: "root", scopes: ["agent_os:admin"] };
    const expected = [/status of 401/];
    let served: ConsoleServer;

    beforeAll(async () => {
      served = await startConsole({
        ...hosted,
        authorization: { verificationKeys: [pair.pem], userIsolation: true },
      });
    });
    afterAll(() => served?.[Symbol.asyncDispose]());

    test("a user sees only its own; an approval of its own run needs an admin, who sees both", async () => {
      const ofAda = await start(served, "agents/cashier", "wire", bearer(token(ada, pair)));
      await start(served, "agents/cashier", "mail", bearer(token(bob, pair)));
      const asAda = await openPage(browser, `${served.console}/approvals`, { expected });
      await signIn(asAda.page, token(ada, pair));
      await row(asAda.page, "wire_money").waitFor();
      await expect.poll(() => row(asAda.page, "send_mail").count()).toBe(0);
      await expect.poll(() => asAda.page.getByRole("button", { name: "Approve wire_money" }).count()).toBe(0);
      await asAda.page.getByRole("tab", { name: "Approvals" }).click();
      await asAda.page.getByRole("button", { name: "wire_money" }).click();
      await asAda.page.getByText("You may not resolve approvals").waitFor();
      asAda.check();

      const asAdmin = await openPage(browser, `${served.console}/approvals?tab=approvals`, { expected });
      await signIn(asAdmin.page, token(admin, pair));
      await asAdmin.page.getByRole("button", { name: "wire_money" }).click();
      await asAdmin.page.getByRole("dialog").getByRole("button", { name: "Approve" }).click();
      await asAdmin.page.getByText(/^wire_money: Approved/).waitFor();
      await asAdmin.page.getByRole("tab", { name: "Waiting runs" }).click();
      await row(asAdmin.page, "send_mail").waitFor();
      await asAdmin.page.getByRole("tab", { name: "Approvals" }).click();
      await asAdmin.page.getByRole("combobox", { name: "State" }).click();
      await asAdmin.page.getByRole("option", { name: "approved" }).click();
      await row(asAdmin.page, "wire_money").getByText("by root").waitFor();
      asAdmin.check();
      expect(ofAda.run_id).toBeTruthy();
    });

    test("a read-only caller sees what waits, and no action", async () => {
      const reader = { sub: "bob", scopes: ["sessions:read", "agents:read", "approvals:read"] };
      const { page, check, checkAccessibility } = await openPage(browser, `${served.console}/approvals`, { expected });
      await signIn(page, token(reader, pair));
      await row(page, "send_mail").waitFor();
      await expect.poll(() => page.getByRole("button", { name: /^(Approve|Reject|Answer) / }).count()).toBe(0);
      await page.getByRole("button", { name: "send_mail" }).click();
      await page.getByText("You may read this run, but not answer it.").waitFor();
      await checkAccessibility();
      check();
    });
  });
});
