/** The screen with the deliveries of webhooks, in a real browser, with a real receiver. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { defineAgent } from "../../src/define/agent.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { launchBrowser } from "../support/browser.ts";
import { makePair, token } from "../support/tokens.ts";
import { openReceiver, type Receiver, secret } from "../webhooks/support/receiver.ts";
import { openPage, signIn } from "./support/browser.ts";
import { type ConsoleServer, inBrowser, startConsole } from "./support/set-up.ts";

const greeter = defineAgent({ id: "greeter", name: "Greeter", model: scriptedModel(() => "Hello.") });
const patience = { timeout: 30_000 };

function hostedFor({ url }: Receiver) {
  const local = { allowHttp: true, allowPrivate: true };
  const events = ["run.completed", "run.failed"] as const;
  return {
    agents: [greeter],
    webhooks: [{ id: "billing", url, secret, events, ...local }],
    settings: { webhookRetryInterval: 20, maxWebhookRetryInterval: 20, maxWebhookAttempts: 2 },
  };
}

async function run(url: string, bearer?: string): Promise<string> {
  const response = await fetch(`${url}/agents/greeter/runs`, {
    method: "POST",
    body: new URLSearchParams({ message: "Hello", stream: "false" }),
    headers: bearer === undefined ? {} : { authorization: `Bearer ${bearer}` },
  });
  const { run_id: id } = (await response.json()) as { run_id: string };
  expect(response.status).toBe(200);
  return id;
}

describe("the webhooks of the console (skipped without Chromium: CHROMIUM_PATH)", inBrowser, () => {
  let browser: Browser;
  let receiver: Receiver;
  let served: ConsoleServer;

  beforeAll(async () => {
    browser = await launchBrowser();
  });
  // A second attempt of a test must not find the data of the first.
  beforeEach(async () => {
    await served?.[Symbol.asyncDispose]();
    await receiver?.[Symbol.asyncDispose]();
    receiver = await openReceiver();
    served = await startConsole(hostedFor(receiver));
  });
  afterAll(async () => {
    await browser?.close();
    await served?.[Symbol.asyncDispose]();
    await receiver?.[Symbol.asyncDispose]();
  });

  test("an empty list shows a start with a webhook", async () => {
    const { page, check, checkAccessibility } = await openPage(browser, `${served.console}/webhooks`);
    await page.getByText("No deliveries yet").waitFor();
    await page.getByText("webhooks=[").waitFor();
    await checkAccessibility();
    check();
  });

  test("a failed delivery shows its attempts and the answer, and arrives when it is sent again", async () => {
    receiver.answer(503);
    const runId = await run(served.url);
    for (const [colorScheme, viewport] of [
      ["light", { width: 1280, height: 860 }],
      ["dark", { width: 390, height: 844 }],
    ] as const) {
      const opened = await openPage(browser, `${served.console}/runs/agent/greeter/${runId}`, {
        colorScheme,
        viewport,
      });
      const { page, check, checkAccessibility } = opened;
      await page.getByRole("link", { name: "Webhook deliveries" }).click();
      await expect.poll(() => new URL(page.url()).search, patience).toBe(`?run=${runId}`);
      await page.getByRole("row").filter({ hasText: "billing" }).getByText("failed", { exact: true }).waitFor();
      await checkAccessibility();
      await page.getByRole("button", { name: "run.completed" }).click();
      const panel = page.getByRole("dialog", { name: "Delivery" });
      await panel.getByText("The attempts are used up.").waitFor();
      await panel.getByText("503").first().waitFor();
      await checkAccessibility();
      expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
      check();
    }
    receiver.answer(200);
    const { page, check } = await openPage(browser, `${served.console}/webhooks?state=failed`);
    await page.getByRole("button", { name: "run.completed" }).focus();
    await page.keyboard.press("Enter");
    const panel = page.getByRole("dialog", { name: "Delivery" });
    await panel.getByRole("button", { name: "Send again" }).click();
    await panel.getByText("The receiver has accepted it.").waitFor();
    await expect.poll(() => receiver.got.map(({ body }) => body.data.run_id), patience).toContain(runId);
    await page.keyboard.press("Escape");
    await page.getByText("No delivery matches the filters").waitFor();
    await page.getByRole("button", { name: "Remove the filters" }).click();
    await page.getByRole("row").filter({ hasText: "billing" }).getByText("delivered", { exact: true }).waitFor();
    await page.getByRole("link", { name: `greeter ${runId.slice(0, 8)}` }).click();
    await page.getByRole("heading", { name: "Run of Greeter" }).waitFor();
    check();
  });

  test("several failed deliveries are selected and sent again together", async () => {
    receiver.answer(500);
    const ids = [await run(served.url), await run(served.url)];
    const { page, check } = await openPage(browser, `${served.console}/webhooks?state=failed`);
    const rows = page.getByRole("button", { name: "run.completed" });
    await expect.poll(() => rows.count(), patience).toBe(2);
    receiver.answer(200);
    await page.getByLabel("Select all deliveries of this page").check();
    await page.getByRole("button", { name: "Send 2 again" }).click();
    await expect
      .poll(() => receiver.got.map(({ body }) => body.data.run_id), patience)
      .toEqual(expect.arrayContaining(ids));
    await page.getByText("No delivery matches the filters").waitFor();
    check();
  });

  test("a caller who may only read deliveries cannot send them again", async () => {
    const pair = makePair();
    const authorization = { verificationKeys: [pair.pem], userIsolation: true };
    await using guarded = await startConsole({ ...hostedFor(receiver), authorization });
    const scopes = ["agents:read", "agents:run", "sessions:read", "webhooks:read"];
    await run(guarded.url, token({ sub: "alice", scopes }, pair));
    await run(guarded.url, token({ sub: "bob", scopes }, pair));
    const { page, check } = await openPage(browser, `${guarded.console}/webhooks`, { expected: [/status of 401/] });
    await signIn(page, token({ sub: "alice", scopes }, pair));
    await page.getByRole("row").filter({ hasText: "billing" }).getByText("delivered", { exact: true }).waitFor();
    // Bob's delivery is not in the list.
    expect(await page.getByRole("button", { name: "run.completed" }).count()).toBe(1);
    expect(await page.getByRole("checkbox").count()).toBe(0);
    await page.getByRole("button", { name: "run.completed" }).click();
    await page.getByText("The receiver has accepted it.").waitFor();
    expect(await page.getByRole("button", { name: "Send again" }).count()).toBe(0);
    check();
  });
});
