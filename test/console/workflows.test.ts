/** The workflows in a real browser: the list, the graph of a definition, and nested workflows with their states. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { step } from "../../src/define/workflow/steps.ts";
import { defineWorkflow } from "../../src/define/workflow/workflow.ts";
import { launchBrowser } from "../support/browser.ts";
import { makePair, token } from "../support/tokens.ts";
import { openPage, signIn } from "./support/browser.ts";
import { type ConsoleServer, inBrowser, startConsole } from "./support/set-up.ts";

const patient = { timeout: 30_000 };
const inner = defineWorkflow({
  id: "inner",
  name: "Inner",
  steps: [
    step({ name: "look", run: () => "looked" }),
    step({ name: "write", run: ({ previous }) => `${previous}, written` }),
  ],
});
const outer = defineWorkflow({
  id: "outer",
  name: "Outer",
  description: "Has a workflow inside",
  steps: [
    step({ name: "look", run: () => "begun" }),
    step({ name: "nested", workflow: inner }),
    step({ name: "sign", confirm: "Sign it?", run: ({ previous }) => previous }),
  ],
});

describe("the workflows of the console (skipped without Chromium: CHROMIUM_PATH)", inBrowser, () => {
  let browser: Browser;
  let served: ConsoleServer;

  beforeAll(async () => {
    [browser, served] = await Promise.all([launchBrowser(), startConsole({ workflows: [outer, inner] })]);
  });
  afterAll(async () => {
    await browser?.close();
    await served?.[Symbol.asyncDispose]();
  });

  test("the list leads to the graph of a definition, with the steps of a nested workflow inside its step", async () => {
    const { page, check, checkAccessibility } = await openPage(browser, `${served.console}/workflows`);
    await page.getByText("Has a workflow inside").waitFor(patient);
    await checkAccessibility();
    await page.getByRole("link", { name: "Outer" }).click();
    await page.getByRole("figure", { name: "Graph of Outer" }).getByText("write", { exact: true }).waitFor(patient);
    await page.getByText("The graph as text").click();
    const lines = page.getByRole("list", { name: "Steps of Outer" }).getByRole("listitem");
    expect(await lines.allTextContents()).toEqual([
      "look: step",
      "nested: step, executed by the workflow Inner",
      "look: step",
      "write: step",
      "sign: step",
    ]);
    await checkAccessibility();
    check();
  });

  test("the graph of a run has the states of the nested steps, apart from outer steps of the same name", async () => {
    const body = new URLSearchParams({ message: "go", session_id: "nested" });
    const started = await fetch(`${served.url}/workflows/outer/runs`, { method: "POST", body });
    await started.text();
    const run = started.headers.get("x-run-id");
    const { page, check } = await openPage(
      browser,
      `${served.console}/runs/workflow/outer/${run}?session=nested&tab=graph`,
    );
    await page.getByRole("figure", { name: "Graph of Outer" }).getByText("waits", { exact: true }).waitFor(patient);
    await page.getByText("The graph as text").click();
    const lines = page.getByRole("list", { name: "Steps of Outer" }).getByRole("listitem");
    expect(await lines.allTextContents()).toEqual([
      "look: step, completed",
      "nested: step, executed by the workflow Inner, completed",
      "look: step, completed",
      "write: step, completed",
      "sign: step, waits for an answer",
    ]);
    check();
  });

  test("a caller without the right to read workflows has no such screen, and a server without workflows explains", async () => {
    const pair = makePair();
    await using guarded = await startConsole({ workflows: [outer], authorization: { verificationKeys: [pair.pem] } });
    const { page, check } = await openPage(browser, guarded.console, { expected: [/status of 401/] });
    await signIn(page, token({ sub: "ada", scopes: ["agents:read", "config:read"] }, pair));
    const screens = page.getByRole("navigation", { name: "Screens" });
    await screens.getByRole("link", { name: "Home" }).waitFor(patient);
    expect(await screens.getByRole("link", { name: "Workflows" }).count()).toBe(0);
    check();
    await using bare = await startConsole({});
    const empty = await openPage(browser, `${bare.console}/workflows`);
    await empty.page.getByText("No workflows").waitFor(patient);
    await empty.checkAccessibility();
    empty.check();
  });
});
