/** The screens with memories and learnings, in a real browser. */
import { randomUUID } from "node:crypto";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { defineAgent } from "../../src/define/agent.ts";
import { defineTeam } from "../../src/define/team.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { launchBrowser } from "../support/browser.ts";
import { bearer, makePair, token } from "../support/tokens.ts";
import { openPage, signIn } from "./support/browser.ts";
import { type ConsoleServer, inBrowser, startConsole } from "./support/set-up.ts";

const patience = { timeout: 30_000 };
const greeter = defineAgent({ id: "greeter", model: scriptedModel(() => "Hello.") });
/** Notes a memory in the run of its team. */
const clerk = defineAgent({
  id: "clerk",
  model: scriptedModel(({ results }) =>
    results.length > 0 ? "Noted." : { toolCalls: [{ name: "add_memory", input: { memory: "Is called Zoe" } }] },
  ),
  memory: { tools: true, extract: false },
});
const desk = defineTeam({
  id: "desk",
  model: scriptedModel(({ results }) =>
    results.length > 0
      ? "Done."
      : { toolCalls: [{ name: "delegate_task_to_member", input: { member_id: "clerk", task: "Note the name." } }] },
  ),
  members: [clerk],
});
const looks = [
  ["light", { width: 1280, height: 860 }],
  ["dark", { width: 390, height: 844 }],
] as const;

async function post(url: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<void> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
}

describe("what agents remember, in the console (skipped without Chromium: CHROMIUM_PATH)", inBrowser, () => {
  let browser: Browser;
  let served: ConsoleServer;

  beforeAll(async () => {
    browser = await launchBrowser();
  });
  // A second attempt of a test must not find the data of the first.
  beforeEach(async () => {
    await served?.[Symbol.asyncDispose]();
    served = await startConsole({ agents: [greeter], teams: [desk] });
  });
  afterAll(async () => {
    await browser?.close();
    await served?.[Symbol.asyncDispose]();
  });

  test("a person stores a memory, finds it by text, user and topic, changes it and deletes it", async () => {
    const { page, check, checkAccessibility } = await openPage(browser, `${served.console}/memories`);
    await page.getByText("No memories yet").waitFor();
    await checkAccessibility();
    await page.getByRole("button", { name: "New memory" }).first().click();
    const form = page.getByRole("dialog", { name: "New memory" });
    await form.getByLabel("User").fill("ada");
    await form.getByLabel("Memory").fill("Prefers trains to planes");
    await form.getByRole("combobox", { name: "Topics" }).fill("travel");
    await page.keyboard.press("Enter");
    await checkAccessibility();
    await form.getByRole("button", { name: "Store" }).click();
    await page.getByRole("button", { name: "Prefers trains to planes" }).waitFor();
    await post(`${served.url}/memories`, { memory: "Likes tea", topics: ["food"], user_id: "bob" });
    await page.getByLabel("Search").fill("TRAINS");
    await expect.poll(() => new URL(page.url()).search, patience).toBe("?text=TRAINS");
    await expect.poll(() => page.getByRole("button", { name: "Likes tea" }).count(), patience).toBe(0);
    await page.reload();
    await page.getByLabel("Search").fill("");
    await page.getByRole("button", { name: "Likes tea" }).waitFor();
    await page.getByRole("combobox", { name: "Topic" }).click();
    await page.getByRole("option", { name: "travel" }).click();
    await expect.poll(() => page.getByRole("button", { name: "Likes tea" }).count(), patience).toBe(0);
    await page.getByRole("combobox", { name: "User" }).fill("bob");
    await page.keyboard.press("Enter");
    await page.getByText("No memory matches the filters").waitFor();
    await page.getByRole("button", { name: "Remove the filters" }).click();
    await page.getByRole("button", { name: "Prefers trains to planes" }).focus();
    await page.keyboard.press("Enter");
    const panel = page.getByRole("dialog", { name: "Memory" });
    await panel.getByText("Entered by hand").waitFor();
    await checkAccessibility();
    await panel.getByRole("textbox", { name: "Memory" }).fill("Prefers night trains");
    await panel.getByRole("button", { name: "Save" }).click();
    await page.getByText("The memory is changed.").waitFor();
    await panel.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog", { name: "Delete this memory?" }).getByRole("button", { name: "Delete" }).click();
    await page.getByText("The memory is deleted.").waitFor();
    await expect.poll(() => page.getByRole("button", { name: "Prefers night trains" }).count(), patience).toBe(0);
    check();
  });

  test("a memory that a member of a team learned links to the run of the team", async () => {
    const user = `zoe-${randomUUID().slice(0, 8)}`;
    const body = new URLSearchParams({ message: "My name is Zoe.", user_id: user, stream: "false" });
    const response = await fetch(`${served.url}/teams/desk/runs`, { method: "POST", body });
    const { run_id: run, status } = (await response.json()) as { run_id: string; status: string };
    expect(status).toBe("COMPLETED");
    const { page, check, checkAccessibility } = await openPage(browser, `${served.console}/memories?user=${user}`);
    await page.getByRole("cell", { name: "Noted in a run of clerk" }).waitFor();
    await page.getByRole("button", { name: "Is called Zoe" }).click();
    const panel = page.getByRole("dialog", { name: "Memory" });
    await panel.getByText("clerk", { exact: true }).waitFor();
    const link = panel.getByRole("link", { name: "Noted in a run of desk" });
    await link.waitFor();
    await checkAccessibility();
    await link.click();
    await page.waitForURL(new RegExp(`/runs/team/desk/${run}`));
    await page.getByRole("heading", { name: /^Run of / }).waitFor();
    check();
  });

  test("several selected memories are deleted at once, also on a phone in dark colours", async () => {
    for (const text of ["Has a dog", "Has a cat"])
      await post(`${served.url}/memories`, { memory: text, user_id: "eve" });
    for (const [colorScheme, viewport] of looks) {
      const opened = await openPage(browser, `${served.console}/memories?user=eve`, { colorScheme, viewport });
      await opened.page.getByRole("button", { name: "Has a dog" }).waitFor();
      await opened.checkAccessibility();
      expect(await opened.page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
      opened.check();
    }
    const { page, check } = await openPage(browser, `${served.console}/memories?user=eve`);
    await page.getByLabel("Select all memories of this page").check();
    await page.getByRole("button", { name: "Delete 2 selected" }).click();
    await page.getByRole("dialog", { name: "Delete 2 memories?" }).getByRole("button", { name: "Delete" }).click();
    await page.getByText("No memory matches the filters").waitFor();
    check();
  });

  test("a person stores a learning, changes its content, and deletes those of a user", async () => {
    const { page, check, checkAccessibility } = await openPage(browser, `${served.console}/learnings`, {
      expected: [/status of 409/],
    });
    await page.getByText("No learnings yet").waitFor();
    await checkAccessibility();
    await page.getByRole("button", { name: "New learning" }).first().click();
    const form = page.getByRole("dialog", { name: "New learning" });
    const store = form.getByRole("button", { name: "Store" });
    await expect.poll(() => store.isDisabled(), patience).toBe(true);
    await form.getByLabel("User").fill("ada");
    await form.getByLabel("Content").fill("not JSON");
    await expect.poll(() => store.isDisabled(), patience).toBe(true);
    await form.getByLabel("Content").fill('{"name": "Ada Lovelace"}');
    await checkAccessibility();
    await store.click();
    await page.getByRole("button", { name: "Ada Lovelace" }).click();
    const panel = page.getByRole("dialog", { name: "Learning" });
    await panel.getByText("Profile of a user").waitFor();
    await panel.getByLabel("Content").fill('{"name": "Ada King"}');
    await checkAccessibility();
    await panel.getByRole("button", { name: "Save" }).click();
    await page.getByText("The learning is changed.").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Ada King" }).waitFor();
    // The identity exists already.
    await page.getByRole("button", { name: "New learning" }).click();
    await form.getByLabel("User").fill("ada");
    await store.click();
    await form.getByText(/already exists for this identity/).waitFor();
    await form.getByRole("button", { name: "Cancel" }).click();
    const knowledge = { title: "Ship on Tuesdays", learning: "Deployments on Fridays fail more often" };
    await post(`${served.url}/learnings`, { learning_type: "learned_knowledge", content: knowledge });
    await page.getByRole("combobox", { name: "Type" }).click();
    await page.getByRole("option", { name: "Knowledge" }).click();
    await page.getByRole("row").filter({ hasText: "Ship on Tuesdays" }).getByText("all users").waitFor();
    await page.goto(`${served.console}/learnings?user=ada`);
    await page.getByRole("button", { name: "Delete those of ada" }).click();
    await page
      .getByRole("dialog", { name: "Delete the learnings of ada?" })
      .getByRole("button", { name: "Delete" })
      .click();
    await page.getByText("No learning matches the filters").waitFor();
    check();
  });

  test("the list of learnings fits a phone in dark colours", async () => {
    await post(`${served.url}/learnings`, { learning_type: "user_profile", user_id: "eve", content: { name: "Eve" } });
    for (const [colorScheme, viewport] of looks) {
      const opened = await openPage(browser, `${served.console}/learnings?user=eve`, { colorScheme, viewport });
      await opened.page.getByRole("button", { name: "Eve", exact: true }).waitFor();
      await opened.checkAccessibility();
      expect(await opened.page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
      opened.check();
    }
  });

  test("a caller who sees only their own data gets no filter by user and no actions without scopes", async () => {
    const pair = makePair();
    const authorization = { verificationKeys: [pair.pem], userIsolation: true };
    await using guarded = await startConsole({ agents: [greeter], authorization });
    const admin = bearer(token({ sub: "root", scopes: ["agent_os:admin"] }, pair));
    for (const user of ["alice", "bob"]) {
      await post(`${guarded.url}/memories`, { memory: `${user} likes tea`, user_id: user }, admin);
      const profile = { learning_type: "user_profile", user_id: user, content: { name: `Profile of ${user}` } };
      await post(`${guarded.url}/learnings`, profile, admin);
    }
    const shared = { learning_type: "learned_knowledge", content: { title: "Known to all" } };
    await post(`${guarded.url}/learnings`, shared, admin);
    const reader = token({ sub: "alice", scopes: ["memories:read", "learnings:read"] }, pair);
    const { page, check } = await openPage(browser, `${guarded.console}/memories`, { expected: [/status of 401/] });
    await signIn(page, reader, { keep: true });
    await page.getByRole("button", { name: "alice likes tea" }).click();
    await page.getByRole("dialog", { name: "Memory" }).getByText("alice likes tea").waitFor();
    await page.keyboard.press("Escape");
    expect(await page.getByText("bob likes tea").count()).toBe(0);
    expect(await page.getByLabel("User").count()).toBe(0);
    expect(await page.getByRole("button", { name: /New memory|Delete|Save/ }).count()).toBe(0);
    await page.getByRole("link", { name: "Learnings" }).click();
    await page.getByRole("button", { name: "Profile of alice" }).waitFor();
    await page.getByRole("button", { name: "Known to all" }).waitFor();
    expect(await page.getByText("Profile of bob").count()).toBe(0);
    expect(await page.getByRole("button", { name: /New learning|Delete/ }).count()).toBe(0);
    check();
  });
});
