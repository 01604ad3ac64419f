/** `useChat` of the AI SDK and the hooks of `troupe/react` in Chromium, from another origin, over connections that are cut. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { shop, slowWords } from "../ai-ui/support/shop.ts";
import { chromiumPath, launchBrowser } from "../support/browser.ts";
import { openDatabaseOf } from "../support/databases.ts";
import { type OpenServer, openServer } from "../support/open-server.ts";
import { type TcpRelay, tcpRelay } from "../support/tcp-relay.ts";
import { servePages } from "./support/pages.ts";

describe.skipIf(chromiumPath === undefined)("in Chromium (skipped where there is none: CHROMIUM_PATH)", () => {
  let browser: Browser;
  let pages: Awaited<ReturnType<typeof servePages>>;
  let database: Awaited<ReturnType<typeof openDatabaseOf>>;
  let server: OpenServer;
  let relay: TcpRelay;

  beforeAll(async () => {
    [browser, pages, database] = await Promise.all([launchBrowser(), servePages(), openDatabaseOf("sqlite")]);
    server = await openServer(database, shop({ corsOrigins: [pages.origin] }));
    relay = await tcpRelay(server.client.address);
  }, 120_000);

  afterAll(async () => {
    await browser?.close();
    await relay?.[Symbol.asyncDispose]();
    await server?.end(0);
    await pages?.[Symbol.asyncDispose]();
    await database?.[Symbol.asyncDispose]();
  });

  const open = async (name: string, query: Record<string, string>): Promise<Page> => {
    const page = await browser.newPage();
    await page.goto(`${pages.origin}/${name}?${new URLSearchParams(query)}`);
    return page;
  };
  const answerIn = (page: Page): Promise<string | null> =>
    page.locator('article[data-role="assistant"]').last().textContent();
  const statusOf = (page: Page, selector: string): Promise<string | null> =>
    page.locator(selector).getAttribute("data-status");

  test("useChat gets the whole answer over a connection that is cut, and after a reload", async () => {
    const page = await open("chat", { api: `${relay.url}/ui/agents/seller`, id: "cut", text: "slow" });
    await page.click("#send");
    await expect.poll(() => answerIn(page)).toContain("word1");
    relay.cut();
    await expect.poll(() => answerIn(page)).toBe(slowWords.join(""));
    await expect.poll(() => statusOf(page, "main")).toBe("ready");
    expect(await page.locator("article").count()).toBe(2);

    await page.click("#send");
    await expect.poll(() => page.locator("article").count()).toBe(4);
    await expect.poll(() => answerIn(page)).toContain("word1");
    await page.reload();
    await expect.poll(() => answerIn(page)).toBe(slowWords.join(""));
    await expect.poll(() => statusOf(page, "main")).toBe("ready");
    expect(await page.locator("article").count()).toBe(4);
    await page.close();
  });

  test("useChat continues a team's paused run after an approval, over a connection that is cut before", async () => {
    const page = await open("chat", { api: `${relay.url}/ui/teams/store`, id: "pause", text: "order" });
    await page.click("#send");
    await page.locator(".approve").waitFor();
    relay.cut();
    await page.click(".approve");
    await expect.poll(() => answerIn(page)).toContain("ordered tea");
    await page.close();
  });

  test("useRun shows a team's run over connections that are cut, and continues its pause", async () => {
    const page = await open("run", { url: relay.url, text: "order", id: "unused" });
    await page.click("#start");
    await page.locator("#confirm").waitFor();
    relay.cut();
    await page.click("#confirm");
    await expect.poll(() => statusOf(page, "#run")).toBe("completed");
    expect(await page.locator("#run p").textContent()).toContain("ordered tea");
    await page.close();
  });

  test("useSession shows the earlier runs, and follows the live run after a cut and a reload", async () => {
    const page = await open("run", { url: relay.url, text: "slow", id: "talk" });
    const text = (): Promise<string | null> => page.locator("#session p").textContent();
    await page.click("#send");
    await expect.poll(text).toContain("word1");
    relay.cut();
    await expect.poll(() => statusOf(page, "#session")).toBe("completed");
    expect(await text()).toBe(slowWords.join(""));
    await page.click("#send");
    await expect.poll(() => page.locator("li").count()).toBe(1);
    await expect.poll(text).toContain("word1");
    await page.reload();
    await expect.poll(() => statusOf(page, "#session")).toBe("completed");
    expect(await text()).toBe(slowWords.join(""));
    expect(await page.locator("li").allTextContents()).toEqual([slowWords.join("")]);
    await page.close();
  });
});
