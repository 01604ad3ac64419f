/** The screens of experiments, datasets and evals, in a real browser. */
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { defineAgent } from "../../src/define/agent.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { launchBrowser } from "../support/browser.ts";
import { openPage } from "./support/browser.ts";
import { type ConsoleServer, inBrowser, startConsole } from "./support/set-up.ts";

/** A condition of a page may need the durable job of an experiment. */
const patience = { timeout: 60_000 };

const clerk = defineAgent({
  id: "clerk",
  name: "Clerk",
  model: scriptedModel(({ message, system }) =>
    system.includes("Be short") ? "At nine." : `You asked: ${message}\nWe open at nine.`,
  ),
  instructions: "Answer questions.",
});
const looks = [
  ["light", { width: 1280, height: 860 }],
  ["dark", { width: 390, height: 844 }],
] as const;

/** On a slow machine, a test with several pages takes minutes. */
const slow = { timeout: 300_000 };

describe("experiments in the console (skipped without Chromium: CHROMIUM_PATH)", { ...inBrowser, ...slow }, () => {
  let browser: Browser;
  let served: ConsoleServer;

  beforeAll(async () => {
    browser = await launchBrowser();
  });
  // A second attempt of a test must not find the data of the first.
  beforeEach(async () => {
    await served?.[Symbol.asyncDispose]();
    served = await startConsole({ agents: [clerk] });
  });
  afterAll(async () => {
    await browser?.close();
    await served?.[Symbol.asyncDispose]();
  });

  /** Sends JSON, and returns the JSON of the answer. */
  async function post(path: string, body: unknown): Promise<{ readonly id: string }> {
    const headers = { "content-type": "application/json" };
    const response = await fetch(`${served.url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    return (await response.json()) as { id: string };
  }

  /** Executes a run, and returns its id. */
  async function runOf(message: string): Promise<string> {
    const body = new URLSearchParams({ message, stream: "false" });
    const response = await fetch(`${served.url}/agents/clerk/runs`, { method: "POST", body });
    const { run_id: id, status } = (await response.json()) as { run_id: string; status: string };
    expect(status).toBe("COMPLETED");
    return id;
  }

  test("a person compares a draft with the code on the last runs, from the component to both answers side by side", async () => {
    for (const day of ["Monday", "Tuesday", "Sunday"]) await runOf(`When do you open on ${day}?`);
    await post("/components/clerk/configs", { config: { instructions: "Be short." } });
    const { page, check, checkAccessibility } = await openPage(browser, `${served.console}/components/agent/clerk`);
    await page.getByRole("link", { name: "Compare" }).click(patience);
    await page.getByRole("heading", { name: "New experiment" }).waitFor(patience);
    const choice = (label: string) => page.getByRole("combobox", { name: label }).or(page.getByLabel(label)).first();
    await expect.poll(() => choice("Side A").inputValue(), patience).toBe("Code");
    await expect.poll(() => choice("Side B").inputValue(), patience).toBe("Version 1, draft");
    await choice("Dataset").click();
    await page.getByRole("option", { name: "New dataset" }).click();
    await page.getByRole("button", { name: "Last 3 completed runs" }).click(patience);
    expect(await page.getByRole("checkbox", { name: /^Run .* of session/, checked: true }).count()).toBe(3);
    await checkAccessibility();
    // The keyboard starts it.
    await page.getByRole("button", { name: "Start the experiment" }).press("Enter");
    const state = page.getByText("6 of 6");
    await state.waitFor(patience);
    await page.getByText("completed", { exact: true }).first().waitFor(patience);
    const summary = page.getByRole("table", { name: "Summary" });
    await summary.getByText("B: version 1").waitFor(patience);
    await expect
      .poll(() => summary.getByRole("row").filter({ hasText: "exact" }).textContent(), patience)
      .toMatch(/exact\s*better\s*1\.00\s*0\.00/);
    const row = page.getByRole("article", { name: "Row 1" });
    await row.getByRole("region", { name: "Differences of row 1" }).getByText("added: At nine.").waitFor(patience);
    expect(await page.getByRole("article").count()).toBe(3);
    await checkAccessibility();
    await page.getByRole("link", { name: "Measures over time" }).click();
    const trend = page.getByRole("table", { name: "Measures over time" });
    await trend.getByRole("cell", { name: "version 1", exact: true }).waitFor(patience);
    expect(await trend.getByRole("row").count()).toBe(3);
    const chart = page.locator(".recharts-wrapper");
    // A dot for each side, and a name for each line.
    await expect.poll(() => chart.locator(".recharts-line-dot").count(), patience).toBe(2);
    await expect
      .poll(() => chart.locator(".recharts-legend-item-text").allTextContents(), patience)
      .toEqual(["code", "version 1"]);
    await checkAccessibility();
    await page.getByRole("combobox", { name: "Measure", exact: true }).click();
    await page.getByRole("option", { name: "Latency, median" }).click();
    await page.waitForURL(/measure=latency/);
    await expect.poll(() => chart.locator(".recharts-line-dot").count(), patience).toBe(2);
    check();
  });

  test("a person creates a dataset of a table, adds and deletes rows, and deletes it", async () => {
    const { page, check, checkAccessibility } = await openPage(browser, `${served.console}/datasets`);
    await page.getByRole("button", { name: "New dataset" }).first().click(patience);
    const create = page.getByRole("dialog", { name: "New dataset" });
    await create.getByRole("textbox", { name: "Name" }).fill("opening hours");
    await create.getByRole("textbox", { name: "Rows" }).fill("input,expected\nWhen do you open?,At nine.\n");
    await checkAccessibility();
    await create.getByRole("button", { name: "Create" }).click();
    await page.getByRole("heading", { name: "opening hours" }).waitFor(patience);
    await page.getByRole("cell", { name: "At nine." }).waitFor(patience);
    await page.getByRole("button", { name: "Add rows" }).click();
    const add = page.getByRole("dialog", { name: "Add rows" });
    await add.getByRole("textbox", { name: "Rows" }).fill("[1]");
    await add.getByText("This is not a JSON list of inputs.").waitFor(patience);
    await add.getByRole("textbox", { name: "Rows" }).fill('["Are you open on Sunday?"]');
    await add.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("cell", { name: "Are you open on Sunday?", exact: true }).waitFor(patience);
    const choose = async (item: string): Promise<void> => {
      await page.getByRole("button", { name: "More" }).click();
      await page.getByRole("menuitem", { name: item }).click();
    };
    const name = `times-${randomUUID().slice(0, 8)}`;
    await choose("Change");
    const change = page.getByRole("dialog", { name: "Change the dataset" });
    await change.getByRole("textbox", { name: "Name" }).fill(name);
    await change.getByRole("textbox", { name: "Description" }).fill("What visitors ask");
    await checkAccessibility();
    await change.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name }).waitFor(patience);
    await page.getByText("What visitors ask").waitFor(patience);
    for (const [format, text] of [
      ["CSV", "input,expected\nWhen do you open?,At nine.\nAre you open on Sunday?,\n"],
      ["JSON", /"expected": "At nine."/],
    ] as const) {
      const saved = page.waitForEvent("download");
      await choose(`Export as ${format}`);
      const file = await saved;
      expect(file.suggestedFilename()).toBe(`${name}.${format.toLowerCase()}`);
      expect(await readFile(await file.path(), "utf8")).toEqual(
        typeof text === "string" ? text : expect.stringMatching(text),
      );
    }
    await page.getByRole("button", { name: "Delete the row When do you open?" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByRole("cell", { name: "At nine." }).waitFor({ state: "detached", ...patience });
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByRole("heading", { name: "Datasets" }).waitFor(patience);
    await page.getByText("The dataset is deleted.").waitFor(patience);
    expect(await page.getByRole("link", { name }).count()).toBe(0);
    check();
  });

  test("the page of a run adds it to a dataset", async () => {
    const { id } = await post("/datasets", { name: "favourites" });
    const run = await runOf("Are you there?");
    const { page, check, checkAccessibility } = await openPage(browser, `${served.console}/runs/agent/clerk/${run}`);
    await page.getByRole("button", { name: "More" }).click(patience);
    await page.getByRole("menuitem", { name: "Add to a dataset" }).click();
    const dialog = page.getByRole("dialog", { name: "Add to a dataset" });
    await dialog.getByLabel("Dataset").first().click(patience);
    await page.getByRole("option", { name: /^favourites/ }).click(patience);
    await checkAccessibility();
    await dialog.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByText("The run is a row of favourites.").waitFor(patience);
    await page.goto(`${served.console}/datasets/${id}`);
    await page.getByRole("cell", { name: "Are you there?", exact: true }).waitFor(patience);
    check();
  });

  test.for([
    ["/datasets/unknown", "Datasets"],
    ["/experiments/unknown", "Experiments"],
    ["/evals/unknown", "Evals"],
  ] as const)("%s shows the error, and leads to the screen of all", async ([path, title]) => {
    const expected = [/status of 404/];
    const { page, check, checkAccessibility } = await openPage(browser, `${served.console}${path}`, { expected });
    await page.getByRole("alert").getByText("It does not exist").waitFor(patience);
    await checkAccessibility();
    await page.getByRole("link", { name: `All ${title.toLowerCase()}` }).click();
    await page.getByRole("heading", { name: title, exact: true }).waitFor(patience);
    check();
  });

  test.for(looks)(
    "the screens fit a display in %s colours, and evals show their results",
    async ([colorScheme, viewport]) => {
      const evaluation = await post("/eval-runs", {
        ...{ eval_type: "accuracy", agent_id: "clerk", name: "opening", input: "When?", expected_output: "at nine" },
        scorers: ["contains"],
      });
      const dataset = await post("/datasets", { name: "hours", rows: [{ input: "When do you open?" }] });
      const experiment = await post("/experiments", {
        ...{ name: "twice", dataset_id: dataset.id, component_type: "agent", component_id: "clerk" },
        scorers: ["exact"],
      });
      for (const [path, text] of [
        ["/experiments", "twice"],
        [`/experiments/${experiment.id}`, "When do you open?"],
        ["/experiments/new?kind=agent&component=clerk", "Start the experiment"],
        ["/datasets", "hours"],
        [`/datasets/${dataset.id}`, "When do you open?"],
        ["/evals", "opening"],
        [`/evals/${evaluation.id}`, "10 of 10"],
      ] as const) {
        const opened = await openPage(browser, `${served.console}${path}`, { colorScheme, viewport });
        await opened.page.getByText(text).first().waitFor(patience);
        await opened.checkAccessibility();
        expect(await opened.page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
        opened.check();
      }
    },
  );
});
