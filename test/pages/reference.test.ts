/** The reference pages, in a real browser: whole, from this server alone, under their content security policy. */
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { defineAgent } from "../../src/define/agent.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { chromiumPath, launchBrowser } from "../support/browser.ts";
import { createDataDir } from "../support/databases.ts";
import { type OpenServer, openServer } from "../support/open-server.ts";

const model = scriptedModel([{ text: "Hello." }]);

/** Opens a page and keeps what went wrong in it. */
async function open(browser: Browser, url: string): Promise<{ page: Page; wrong: string[]; hosts: Set<string> }> {
  const page = await browser.newPage();
  const wrong: string[] = [];
  const hosts = new Set<string>();
  page.on("console", (message) => message.type() === "error" && wrong.push(message.text()));
  page.on("pageerror", (error) => wrong.push(error.message));
  page.on("requestfailed", (request) => wrong.push(`${request.url()}: ${request.failure()?.errorText}`));
  page.on("request", (request) => {
    if (!request.url().startsWith("data:")) hosts.add(new URL(request.url()).host);
  });
  await page.goto(url, { waitUntil: "networkidle" });
  return { page, wrong, hosts };
}

/** Scrolls down to an operation: the page renders the operations near the viewport. */
async function scrollTo(page: Page, selector: string): Promise<Locator> {
  const place = page.locator(selector);
  while ((await place.count()) === 0) {
    await page.evaluate("scrollBy(0, 400)");
    await page.waitForTimeout(50);
  }
  return place;
}

describe.skipIf(chromiumPath === undefined)(
  "the reference pages in Chromium (skipped where there is none: CHROMIUM_PATH)",
  () => {
    let browser: Browser;
    let server: OpenServer;
    let address: string;
    let removeData: () => Promise<void>;

    beforeAll(async () => {
      const data = await createDataDir();
      removeData = data.remove;
      server = await openServer(
        { kind: "sqlite", dataDir: data.path },
        { agents: [defineAgent({ id: "greeter", model })] },
      );
      address = `http://127.0.0.1:${(server.app.server.address() as { port: number }).port}`;
      browser = await launchBrowser();
    }, 60_000);

    afterAll(async () => {
      await browser?.close();
      await server?.end(0);
      await removeData?.();
    });

    test("/docs shows every operation, can try them, and asks no other host [J13]", async () => {
      const { page, wrong, hosts } = await open(browser, `${address}/docs`);
      await (await scrollTo(page, "#operations-Agents-get_agents")).click();
      await page.getByRole("button", { name: "Try it out" }).click();
      await page.getByRole("button", { name: "Execute" }).click();
      await page.getByText('"greeter"').first().waitFor();
      await scrollTo(page, "#operations-Teams-resume_team_run_stream");
      expect(wrong).toEqual([]);
      expect([...hosts]).toEqual([new URL(address).host]);
      await page.close();
    });

    test("/redoc shows every operation to be read [J13]", async () => {
      const { page, wrong, hosts } = await open(browser, `${address}/redoc`);
      await (await scrollTo(page, "#operations-Teams-resume_team_run_stream")).click();
      await expect.poll(() => page.getByRole("button", { name: "Try it out" }).count()).toBe(0);
      expect(wrong).toEqual([]);
      expect([...hosts]).toEqual([new URL(address).host]);
      await page.close();
    });
  },
);
