/** The form of evals, in a real browser. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { defineAgent } from "../../src/define/agent.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { launchBrowser } from "../support/browser.ts";
import { makePair, token } from "../support/tokens.ts";
import { openPage, signIn } from "./support/browser.ts";
import { type ConsoleServer, inBrowser, startConsole } from "./support/set-up.ts";

/** A condition of a page may need the durable job of an eval. */
const patience = { timeout: 60_000 };

const clerk = defineAgent({
  id: "clerk",
  name: "Clerk",
  model: scriptedModel(({ message }) => `You asked: ${message}\nWe open at nine.`),
  instructions: "Answer questions.",
});
const looks = [
  ["light", { width: 1280, height: 860 }],
  ["dark", { width: 390, height: 844 }],
] as const;
const types = ["accuracy", "agent_as_judge", "performance", "reliability"] as const;

/** On a slow machine, a test with several pages takes minutes. */
const slow = { timeout: 300_000 };

describe("evals in the console (skipped without Chromium: CHROMIUM_PATH)", { ...inBrowser, ...slow }, () => {
  let browser: Browser;
  let served: ConsoleServer;

  beforeAll(async () => {
    [browser, served] = await Promise.all([launchBrowser(), startConsole({ agents: [clerk] })]);
  });
  afterAll(async () => {
    await browser?.close();
    await served?.[Symbol.asyncDispose]();
  });

  test("a person starts an eval; the form shows what is missing and what the server rejects, and the result follows", async () => {
    const expected = [/status of 422/];
    const { page, check } = await openPage(browser, `${served.console}/evals`, { expected });
    await page.getByRole("link", { name: "New eval" }).first().click(patience);
    await page.getByRole("heading", { name: "New eval" }).waitFor(patience);
    const start = page.getByRole("button", { name: "Start the eval" });
    await start.click();
    for (const fault of ["Choose a component.", "Enter the message of the runs."])
      await page.getByText(fault).waitFor(patience);
    await page.getByText("Enter the expected output, or choose scorers.").waitFor(patience);
    const component = page.getByRole("combobox", { name: "Component" }).or(page.getByLabel("Component")).first();
    await component.click();
    await page.getByRole("option", { name: "Clerk (agent)" }).click(patience);
    await page.getByRole("textbox", { name: "Input" }).fill("When do you open?");
    await page.getByRole("checkbox", { name: "regex" }).check();
    await page.getByLabel("Pattern of regex").fill("(");
    await page.getByLabel("Iterations").fill("2");
    await start.click();
    await page.getByText(/^The scorer "regex"/).waitFor(patience);
    await page.getByLabel("Pattern of regex").fill("at (eight|nine)");
    await page.getByLabel("Name").fill("opening");
    // The keyboard starts it.
    await start.press("Enter");
    await page.getByRole("heading", { name: "opening" }).waitFor(patience);
    await page.getByText("2 of 2").waitFor(patience);
    await page.getByText("10 of 10").waitFor(patience);
    await page.getByText("passed", { exact: true }).waitFor(patience);
    await page.getByRole("link", { name: "Clerk" }).waitFor(patience);
    check();
  });

  test("an eval of tool calls expects none if no tool is named", async () => {
    const path = "/evals/new?type=reliability&kind=agent&component=clerk";
    const { page, check } = await openPage(browser, `${served.console}${path}`);
    await page.getByRole("textbox", { name: "Input" }).fill("When do you open?", patience);
    await page.getByRole("button", { name: "Start the eval" }).click();
    await page.getByRole("heading", { name: "Eval: reliability" }).waitFor(patience);
    await page.getByText("passed", { exact: true }).waitFor(patience);
    check();
  });

  test.for(looks)(
    "the form of each type fits a display in %s colours, and passes axe",
    async ([colorScheme, viewport]) => {
      const { page, check, checkAccessibility } = await openPage(browser, `${served.console}/evals/new`, {
        ...{ colorScheme, viewport },
      });
      for (const type of types) {
        const choice = page.getByRole("combobox", { name: "Type" }).or(page.getByLabel("Type")).first();
        await choice.click(patience);
        await page.getByRole("option", { name: type.replaceAll("_", " ") }).click(patience);
        await expect.poll(() => choice.inputValue(), patience).toBe(type.replaceAll("_", " "));
        if (type === "accuracy") await page.getByRole("checkbox", { name: "judge" }).check();
        await checkAccessibility();
        expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
      }
      check();
    },
  );

  test("a caller who may only read evals has no form", async () => {
    const pair = makePair();
    const authorization = { verificationKeys: [pair.pem] };
    await using guarded = await startConsole({ agents: [clerk], authorization });
    const expected = [/status of 401/];
    const { page, check, checkAccessibility } = await openPage(browser, `${guarded.console}/evals`, { expected });
    await signIn(page, token({ sub: "alice", scopes: ["evals:read"] }, pair), { keep: true });
    await page.getByText("No evals yet").waitFor(patience);
    expect(await page.getByRole("link", { name: "New eval" }).count()).toBe(0);
    await page.goto(`${guarded.console}/evals/new`);
    await page.getByText("You may not start evals").waitFor(patience);
    await checkAccessibility();
    check();
  });
});
