/** Refusals, hooks and follow-ups in the timeline, the chat and the session, in a real browser. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { defineAgent } from "../../src/define/agent.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { launchBrowser } from "../support/browser.ts";
import { openPage } from "./support/browser.ts";
import { type ConsoleServer, inBrowser, startConsole } from "./support/set-up.ts";

const patience = { timeout: 30_000 };
const reason = "Messages about weapons are not answered.";

const clerk = defineAgent({
  id: "clerk",
  name: "Clerk",
  model: scriptedModel(({ message }) => `You said: ${message}`),
  hooks: {
    beforeRun: [
      function redact({ input }) {
        return input.includes("secret") ? { input: input.replaceAll("secret", "[removed]") } : undefined;
      },
      function weapons({ input }) {
        return input.includes("weapon") ? { refuse: reason } : undefined;
      },
    ],
  },
});
const guide = defineAgent({
  id: "guide",
  name: "Guide",
  model: scriptedModel(({ message }) => `Go to ${message}.`),
  followups: {
    count: 2,
    model: scriptedModel(() => JSON.stringify({ followups: ["And in the evening?", "By train?"] })),
  },
});

describe("guardrails in the console (skipped without Chromium: CHROMIUM_PATH)", inBrowser, () => {
  let browser: Browser;
  let served: ConsoleServer;

  beforeAll(async () => {
    [browser, served] = await Promise.all([launchBrowser(), startConsole({ agents: [clerk, guide] })]);
  });
  afterAll(async () => {
    await browser?.close();
    await served?.[Symbol.asyncDispose]();
  });

  async function run(message: string): Promise<string> {
    const body = new URLSearchParams({ message, session_id: message });
    const response = await fetch(`${served.url}/agents/clerk/runs`, { method: "POST", body });
    await response.text();
    return response.headers.get("x-run-id") ?? "";
  }

  test("a refusal is at the top of the run and in its timeline, with its reason", async () => {
    const id = await run("a weapon");
    for (const [colorScheme, viewport] of [
      ["light", { width: 1280, height: 860 }],
      ["dark", { width: 390, height: 844 }],
    ] as const) {
      const { page, check, checkAccessibility } = await openPage(
        browser,
        `${served.console}/runs/agent/clerk/${id}?session=a+weapon`,
        { colorScheme, viewport },
      );
      const alert = page.getByRole("alert").filter({ hasText: "weapons refused before the run" });
      await alert.getByText(reason).waitFor();
      await checkAccessibility();
      await alert.getByRole("button", { name: "Show the refusal in the timeline" }).focus();
      await page.keyboard.press("Enter");
      const panel = page.getByRole("dialog");
      await panel.getByText("Why it refused.").waitFor();
      await panel.getByText("before the run, refused").waitFor();
      await checkAccessibility();
      await page.keyboard.press("Escape");
      const timeline = page.getByRole("region", { name: "Timeline" });
      await timeline.getByRole("button", { name: /^Hook redact \(before the run\), completed/ }).waitFor();
      await timeline
        .getByRole("button", { name: /^Hook weapons \(before the run, refused\), refused, because Messages about/ })
        .waitFor();
      expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
      check();
    }
  });

  test("a hook that changes the message says so, and the chat and the session name who refused", async () => {
    const changed = await run("my secret");
    const { page, check, checkAccessibility } = await openPage(
      browser,
      `${served.console}/runs/agent/clerk/${changed}?session=my+secret`,
    );
    await page
      .getByRole("button", { name: /^Hook redact \(before the run, changed the content\), completed/ })
      .waitFor();
    const refused = await run("another weapon");
    await page.goto(`${served.console}/chat/agent/clerk?session=another+weapon&run=${refused}`);
    const answer = page.getByRole("article").last();
    await answer.getByRole("alert").getByText("weapons refused:").waitFor();
    await answer.getByText(reason).first().waitFor();
    await checkAccessibility();
    await page.goto(`${served.console}/sessions/another%20weapon`);
    await page.getByText("A guardrail refused the message").waitFor();
    await page.getByText(reason).first().waitFor();
    await checkAccessibility();
    check();
  });

  test("follow-ups are suggestions below the last answer, and a click sends one", async () => {
    const { page, check, checkAccessibility } = await openPage(browser, `${served.console}/chat/agent/guide`);
    await page.getByRole("textbox", { name: /^Message to/ }).fill("Rome");
    await page.keyboard.press("Enter");
    const suggestions = page.getByRole("group", { name: "Suggestions" });
    await suggestions.getByRole("button", { name: "By train?" }).waitFor();
    await checkAccessibility();
    await suggestions.getByRole("button", { name: "And in the evening?" }).click();
    await page.getByText("Go to And in the evening?.").waitFor();
    // Only the last answer has suggestions.
    await expect.poll(() => suggestions.count(), patience).toBe(1);
    await page.reload();
    await suggestions.getByRole("button", { name: "By train?" }).waitFor();
    await page.getByRole("link", { name: "Timeline" }).last().click();
    await page.getByRole("button", { name: /^Stage Follow-ups, completed/ }).click();
    await page.getByRole("dialog").getByText("By train?").waitFor();
    await checkAccessibility();
    check();
  });
});
