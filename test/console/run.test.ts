/** The screen of one run, in a real browser. */
import { readFile } from "node:fs/promises";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { defineAgent } from "../../src/define/agent.ts";
import { defineTeam } from "../../src/define/team.ts";
import { defineTool } from "../../src/define/tool.ts";
import { step } from "../../src/define/workflow/steps.ts";
import { defineWorkflow } from "../../src/define/workflow/workflow.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { launchBrowser } from "../support/browser.ts";
import { Gate } from "../support/gate.ts";
import { makePair, token } from "../support/tokens.ts";
import { openPage, signIn } from "./support/browser.ts";
import { type ConsoleServer, inBrowser, startConsole } from "./support/set-up.ts";

const gate = new Gate();
const getWeather = defineTool({
  name: "get_weather",
  description: "Weather of a city",
  input: z.object({ city: z.string() }),
  execute: ({ city }) => ({ city, sky: "clear" }),
});
const weather = defineAgent({
  id: "weather",
  name: "Weather",
  model: scriptedModel(({ number }) =>
    number % 2 === 1 ? { toolCalls: [{ name: "get_weather", input: { city: "Rome" } }] } : "It is clear in Rome.",
  ),
  tools: [getWeather],
});
const slow = defineAgent({
  id: "slow",
  name: "Slow",
  model: scriptedModel(async () => {
    await gate.pass();
    return "At last.";
  }),
});
const talker = defineAgent({
  id: "talker",
  name: "Talker",
  model: scriptedModel(() => ({ text: Array.from({ length: 10_000 }, (_, word) => `word-${word} `) })),
});
const desk = defineTeam({
  id: "desk",
  name: "Desk",
  members: [weather],
  model: scriptedModel(({ number }) =>
    number % 2 === 1
      ? {
          toolCalls: [
            { name: "delegate_task_to_member", input: { member_id: "weather", task: "The weather in Rome?" } },
          ],
        }
      : "Take your sunglasses.",
  ),
});
const trip = defineWorkflow({
  id: "trip",
  name: "Trip",
  steps: [
    step({ name: "look", agent: weather }),
    step({ name: "book", confirm: "Book this day?", run: () => "Booked." }),
  ],
});
const hosted = { agents: [weather, slow, talker], teams: [desk], workflows: [trip] };
const rejected = /status of 401/;

/** Starts a run and returns its id. With `background`, it does not wait for its end. */
async function start(url: string, component: string, fields: Record<string, string>, bearer?: string): Promise<string> {
  const response = await fetch(`${url}/${component}/runs`, {
    method: "POST",
    body: new URLSearchParams({ message: "Rome?", ...fields }),
    headers: bearer === undefined ? {} : { authorization: `Bearer ${bearer}` },
  });
  expect(response.ok).toBe(true);
  const text = await response.text();
  return response.headers.get("x-run-id") ?? JSON.parse(text).run_id;
}

describe("the screen of a run (skipped without Chromium: CHROMIUM_PATH)", inBrowser, () => {
  let browser: Browser;
  let served: ConsoleServer;

  beforeAll(async () => {
    [browser, served] = await Promise.all([launchBrowser(), startConsole(hosted)]);
  });
  afterAll(async () => {
    gate.open();
    await browser?.close();
    await served?.[Symbol.asyncDispose]();
  });

  test("the timeline of a team's run shows its members, model requests and tools; a row opens the request and response", async () => {
    const run = await start(served.url, "teams/desk", { session_id: "rome" });
    for (const colorScheme of ["light", "dark"] as const) {
      const { page, check, checkAccessibility } = await openPage(
        browser,
        `${served.console}/runs/team/desk/${run}?session=rome`,
        { colorScheme },
      );
      const timeline = page.getByRole("region", { name: "Timeline" });
      await timeline.getByRole("button", { name: /^Run Weather \(agent\), completed/ }).waitFor();
      await expect.poll(() => timeline.getByRole("button", { name: /^Model request/ }).count()).toBe(4);
      await expect.poll(() => timeline.getByRole("button", { name: /^Tool call/ }).count()).toBe(2);
      await checkAccessibility();
      await timeline
        .getByRole("button", { name: /^Model request/ })
        .last()
        .click();
      const details = page.getByRole("dialog");
      await details.getByText("Take your sunglasses.").waitFor();
      await details.getByText("Rome?", { exact: true }).waitFor();
      await checkAccessibility();
      check();
    }
  });

  test("a link to a row of a workflow's run opens it, and the wait for a person is a row", async () => {
    const run = await start(served.url, "workflows/trip", { session_id: "trip" });
    const { page, check } = await openPage(browser, `${served.console}/runs/workflow/trip/${run}?session=trip`);
    const timeline = page.getByRole("region", { name: "Timeline" });
    await timeline.getByRole("button", { name: /^Wait Waits for an answer \(book\), waiting/ }).waitFor();
    await timeline.getByRole("button", { name: /^Tool call get_weather/ }).click();
    await page.getByRole("dialog").getByText("Arguments").waitFor();
    await page.reload();
    await page.getByRole("dialog").getByText('"clear"').waitFor();
    check();
  });

  test("the graph of a workflow's run has the states of its steps, as a picture and as a text", async () => {
    const run = await start(served.url, "workflows/trip", { session_id: "graph" });
    for (const colorScheme of ["light", "dark"] as const) {
      const { page, check, checkAccessibility } = await openPage(
        browser,
        `${served.console}/runs/workflow/trip/${run}?session=graph&tab=graph`,
        { colorScheme },
      );
      await page.getByRole("figure", { name: "Graph of Trip" }).getByText("waits", { exact: true }).waitFor();
      await page.getByText("The graph as text").click();
      const steps = page.getByRole("list", { name: "Steps of Trip" });
      await expect
        .poll(() => steps.getByRole("listitem").allTextContents())
        .toEqual(["look: step, executed by the agent Weather, completed", "book: step, waits for an answer"]);
      await checkAccessibility();
      check();
    }
  });

  test("the list of workflows leads to the graph of a definition, and from there to its runs", async () => {
    const { page, check, checkAccessibility } = await openPage(browser, `${served.console}/workflows`);
    await page.getByRole("link", { name: "Trip" }).click();
    await page.getByRole("figure", { name: "Graph of Trip" }).getByText("agent Weather").waitFor();
    await checkAccessibility();
    await page.getByRole("link", { name: "Its runs" }).click();
    await page.getByRole("heading", { name: "Runs", level: 1 }).waitFor();
    expect(new URL(page.url()).search).toBe("?kind=workflow&component=trip");
    check();
  });

  test("a fork from a checkpoint runs in a new session, and its page opens; a retry replaces the run", async () => {
    const run = await start(served.url, "agents/weather", { session_id: "origin" });
    const origin = `${served.console}/runs/agent/weather/${run}?session=origin&tab=checkpoints`;
    const { page, check, checkAccessibility } = await openPage(browser, origin);
    await page.getByRole("button", { name: "Fork from checkpoint 1" }).waitFor();
    await checkAccessibility();
    await page.getByRole("button", { name: "Fork from checkpoint 1" }).click();
    await page.getByText("The fork has begun in a new session.").waitFor();
    const forked = new URL(page.url());
    expect(forked.pathname).not.toContain(run);
    expect(forked.searchParams.get("session")).not.toBe("origin");
    const timeline = page.getByRole("region", { name: "Timeline" });
    await timeline.getByRole("button", { name: /^Run Weather \(agent\), completed/ }).waitFor();
    await page.goto(origin);
    await page.getByRole("button", { name: "Retry from checkpoint 1" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Retry" }).click();
    await page.getByText("The new run replaces the earlier one.").waitFor();
    expect(new URL(page.url()).searchParams.get("session")).toBe("origin");
    await page.goto(origin);
    await page.getByText("regenerated", { exact: true }).waitFor();
    check();
  });

  test("a live run is followed to its end without a reload", async () => {
    const run = await start(served.url, "agents/slow", { session_id: "slow", background: "true", stream: "false" });
    const { page, check } = await openPage(browser, `${served.console}/runs/agent/slow/${run}?session=slow`);
    const timeline = page.getByRole("region", { name: "Timeline" });
    await timeline.getByRole("button", { name: /^Run Slow \(agent\), in progress/ }).waitFor();
    gate.open(1);
    await timeline.getByRole("button", { name: /^Run Slow \(agent\), completed/ }).waitFor();
    await expect.poll(() => page.getByText("completed", { exact: true }).count()).toBe(1);
    check();
  });

  test("a live run is cancelled after a confirmation", async () => {
    const run = await start(served.url, "agents/slow", { session_id: "cancel", background: "true", stream: "false" });
    const { page, check } = await openPage(browser, `${served.console}/runs/agent/slow/${run}?session=cancel`);
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel the run" }).click();
    await page
      .getByRole("region", { name: "Timeline" })
      .getByRole("button", { name: /^Run Slow \(agent\), cancelled/ })
      .waitFor();
    await page.getByRole("button", { name: "Cancel", exact: true }).waitFor({ state: "detached" });
    check();
  });

  test("10,000 events scroll with few rows in the page, and a search finds one of them", async () => {
    const run = await start(served.url, "agents/talker", { session_id: "long" });
    const { page, check, checkAccessibility } = await openPage(
      browser,
      `${served.console}/runs/agent/talker/${run}?session=long&tab=events`,
    );
    const events = page.getByRole("region", { name: "Events" });
    await page.getByText(/^1\d,\d{3} events$/).waitFor();
    await checkAccessibility();
    await events.getByRole("button").first().focus();
    await page.keyboard.press("End");
    await events.getByRole("button", { name: /RunCompleted/ }).waitFor();
    await expect.poll(() => events.getByRole("button").count()).toBeLessThan(100);
    await page.getByLabel("Search").fill("word-7777 ");
    await page.getByText(/^\d+ of 1\d,\d{3} events$/).waitFor();
    await events
      .getByRole("button", { name: /RunContent/ })
      .first()
      .click();
    await page.getByRole("dialog").getByText("word-7777").first().waitFor();
    expect(new URL(page.url()).searchParams.get("text")).toBe("word-7777");
    check();
  });

  test("the run is downloaded as JSON, and copied as code without a token", async () => {
    const pair = makePair();
    await using guarded = await startConsole({ ...hosted, authorization: { verificationKeys: [pair.pem] } });
    const secret = token({ sub: "alice", scopes: ["agents:read", "agents:run", "sessions:read"] }, pair);
    const run = await start(guarded.url, "agents/weather", { session_id: "code" }, secret);
    const { page, check, checkAccessibility } = await openPage(
      browser,
      `${guarded.console}/runs/agent/weather/${run}?session=code`,
      { expected: [rejected] },
    );
    await signIn(page, secret);
    await page.getByRole("region", { name: "Timeline" }).waitFor();
    await page.getByRole("button", { name: "More" }).click();
    const download = page.waitForEvent("download");
    await page.getByRole("menuitem", { name: "Download as JSON" }).click();
    const saved = JSON.parse(await readFile(await (await download).path(), "utf8"));
    expect(saved.events[0]).toMatchObject({ event: "RunStarted", event_index: 0 });
    expect(saved.run).toMatchObject({ run_id: run, status: "COMPLETED" });
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Copy as code" }).click();
    const dialog = page.getByRole("dialog", { name: "Use this run in code" });
    await dialog.getByText(`agents/weather/runs/${run}/resume`).waitFor();
    await expect.poll(() => dialog.textContent()).toContain("Authorization: Bearer $TOKEN");
    await checkAccessibility();
    await dialog.getByText("TypeScript").click();
    await dialog.getByText("createClient").first().waitFor();
    await expect.poll(() => dialog.textContent()).not.toContain(secret.slice(0, 20));
    check();
  });

  test("a read-only caller follows the run, and sees no action that changes it", async () => {
    const pair = makePair();
    await using guarded = await startConsole({ ...hosted, authorization: { verificationKeys: [pair.pem] } });
    const operator = token({ sub: "alice", scopes: ["agents:read", "agents:run"] }, pair);
    const run = await start(guarded.url, "agents/weather", { session_id: "read" }, operator);
    const { page, check } = await openPage(browser, `${guarded.console}/runs/agent/weather/${run}?session=read`, {
      expected: [rejected],
    });
    await signIn(page, token({ sub: "bob", scopes: ["agents:read"] }, pair));
    await page
      .getByRole("region", { name: "Timeline" })
      .getByRole("button", { name: /^Tool call get_weather/ })
      .waitFor();
    await expect.poll(() => page.getByRole("button", { name: "Cancel" }).count()).toBe(0);
    // The record of a run has no chunks; its log has.
    await page.getByRole("tab", { name: "Events" }).click();
    await page.getByText("RunContent", { exact: true }).first().waitFor();
    check();
  });

  test("the run of another user does not exist for a caller who sees only their own", async () => {
    const pair = makePair();
    const authorization = { verificationKeys: [pair.pem], userIsolation: true };
    await using guarded = await startConsole({ ...hosted, authorization });
    const scopes = ["agents:read", "agents:run", "sessions:read"];
    const run = await start(
      guarded.url,
      "agents/weather",
      { session_id: "own" },
      token({ sub: "alice", scopes }, pair),
    );
    const { page, check } = await openPage(browser, `${guarded.console}/runs/agent/weather/${run}?session=own`, {
      expected: [rejected, /status of 404/],
    });
    await signIn(page, token({ sub: "bob", scopes }, pair));
    await page.getByRole("heading", { name: "There is no such run" }).waitFor();
    await expect.poll(() => page.getByText("get_weather").count()).toBe(0);
    check();
  });
});
