/** The chat while its connections, its server and its token fail: what it shows equals the stored log. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { RunEvent } from "../../client/index.ts";
import { answerOf, viewOf } from "../../console/src/screens/chat/run-view.ts";
import { defineAgent } from "../../src/define/agent.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { launchBrowser } from "../support/browser.ts";
import { openDatabaseOf } from "../support/databases.ts";
import { startServerProcess } from "../support/server-process.ts";
import { inSeconds, makePair, token } from "../support/tokens.ts";
import { openPage, signIn } from "./support/browser.ts";
import { inBrowser, startConsole } from "./support/set-up.ts";
import { unreliableProxy } from "./support/unreliable-proxy.ts";

vi.setConfig({ testTimeout: 180_000 });

const network = [/net::ERR_/, /status of 50[234]/];

function writerOf(words: number, delay: number) {
  const text = Array.from({ length: words }, (_, at) => `word${at}`).join(" ");
  return defineAgent({ id: "writer", name: "Writer", model: scriptedModel(() => ({ text, delay: () => delay })) });
}

async function send(page: Page, message: string): Promise<void> {
  await page.getByRole("textbox", { name: /^Message to/ }).fill(message);
  await page.keyboard.press("Enter");
}

/** The events of the page's run, as a client without faults reads them. */
async function storedLog(url: string, page: Page): Promise<readonly RunEvent[]> {
  const { pathname, searchParams } = new URL(page.url());
  const id = pathname.split("/").at(-1);
  const response = await fetch(`${url}/agents/${id}/runs/${searchParams.get("run")}/resume`, {
    method: "POST",
    body: new URLSearchParams({ session_id: searchParams.get("session") ?? "" }),
  });
  const frames = (await response.text()).split("\n\n").filter((frame) => /^id: /m.test(frame));
  return frames.map((frame) => JSON.parse(/^data: (.*)$/m.exec(frame)?.[1] ?? ""));
}

/** Waits for the end of the run, and compares the shown text and cursor with the stored log. */
async function checkAnswer(url: string, page: Page): Promise<void> {
  await expect.poll(() => page.getByTestId("connection").innerText(), { timeout: 90_000 }).toBe("Finished");
  const log = await storedLog(url, page);
  await expect.poll(() => page.getByTestId("cursor").innerText()).toBe(String(log.at(-1)?.event_index));
  const shown = (await page.getByRole("article").innerText()).replace(/\s+/g, " ");
  const stored = answerOf(viewOf(log)).trim();
  expect(stored.length).toBeGreaterThan(500);
  expect(shown).toContain(stored);
  expect(shown.split(stored)).toHaveLength(2);
}

describe("the chat under faults (skipped without Chromium: CHROMIUM_PATH)", inBrowser, () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());

  test("a proxy that cuts, delays and duplicates: the text equals the stored log, and one run was started", async () => {
    await using served = await startConsole({ agents: [writerOf(150, 20)] });
    await using proxy = await unreliableProxy(served.url);
    const { page, check } = await openPage(browser, `${proxy.url}/console/chat/agent/writer`, { expected: network });
    await page.getByText("Talk to Writer").waitFor();
    Object.assign(proxy, { cutAfter: 6_000, delay: 15, duplicates: true });
    await send(page, "Hello");
    await checkAnswer(served.url, page);
    expect(proxy.cuts).toBeGreaterThan(2);
    const listed = await fetch(`${served.url}/agents/writer/runs`);
    expect(await listed.json()).toHaveLength(1);
    check();
  });

  test("a server that is killed and restarted during a stream: the text equals the stored log", async () => {
    await using database = await openDatabaseOf("sqlite");
    const settings = { leaseDuration: 2_000, leaseRenewInterval: 400, sweepInterval: 300 };
    await using first = await startServerProcess(database, settings);
    await using proxy = await unreliableProxy(first.client.address.origin);
    const { page, check } = await openPage(browser, `${proxy.url}/console/chat/agent/talker`, { expected: network });
    await send(page, JSON.stringify({ deltas: 300, delay: 40 }));
    await expect.poll(async () => Number(await page.getByTestId("cursor").innerText())).toBeGreaterThan(40);
    await first.crash();
    await page.getByText(/^The connection was lost after event \d+/).waitFor();
    await using second = await startServerProcess(database, settings);
    proxy.target = second.client.address.origin;
    await page.getByText(/^Resumed after event \d+/).waitFor({ timeout: 60_000 });
    await checkAnswer(proxy.target, page);
    const log = await storedLog(proxy.target, page);
    expect(log.map(({ event }) => event)).toContain("RunRecovered");
    check();
  });

  test("a token that expires during a stream: after the sign-in the stream resumes, and the draft is still there", async () => {
    const pair = makePair();
    const authorization = { verificationKeys: [pair.pem], leewaySeconds: 0 };
    await using served = await startConsole({ agents: [writerOf(300, 100)], authorization });
    const claims = { sub: "alice", scopes: ["agents:writer:run", "agents:writer:read"] };
    const { page, check } = await openPage(browser, `${served.console}/chat/agent/writer`, {
      expected: [/status of 401/],
    });
    await signIn(page, token({ ...claims, exp: inSeconds(15) }, pair));
    await send(page, "Hello");
    await page.getByText("word9").waitFor();
    await page.getByRole("textbox", { name: /^Message to/ }).fill("the next message");
    const address = page.url();
    await page.getByRole("dialog", { name: "Sign in" }).waitFor({ timeout: 60_000 });
    await expect.poll(() => page.getByTestId("connection").innerText()).toBe("Resuming");
    await signIn(page, token(claims, pair));
    await expect.poll(() => page.getByTestId("connection").innerText(), { timeout: 60_000 }).toBe("Finished");
    const shown = await page.getByRole("article").innerText();
    expect(shown).toContain(Array.from({ length: 300 }, (_, at) => `word${at}`).join(" "));
    expect(page.url()).toBe(address);
    await expect.poll(() => page.getByRole("textbox", { name: /^Message to/ }).inputValue()).toBe("the next message");
    check();
  });
});
