/** The screens with components and their versions, in a real browser. */
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { defineAgent } from "../../src/define/agent.ts";
import { defineTeam } from "../../src/define/team.ts";
import { defineTool } from "../../src/define/tool.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { launchBrowser } from "../support/browser.ts";
import { bearer, makePair, token } from "../support/tokens.ts";
import { openPage, signIn } from "./support/browser.ts";
import { type ConsoleServer, inBrowser, startConsole } from "./support/set-up.ts";

const patience = { timeout: 30_000 };
const tool = (name: string) =>
  defineTool({ name, description: `The tool ${name}`, input: z.object({}), execute: async () => "done" });
const writer = defineAgent({
  id: "writer",
  name: "Writer",
  description: "Writes texts",
  model: scriptedModel(({ system }) => `As told: ${system}`),
  instructions: "Write a text.\nUse short sentences.",
  tools: [tool("spell"), tool("count")],
});
const reader = defineAgent({ id: "reader", model: scriptedModel(() => "Read."), instructions: "Read." });
const looks = [
  ["light", { width: 1280, height: 860 }],
  ["dark", { width: 390, height: 844 }],
] as const;

async function send(method: string, url: string, body: unknown, headers: Readonly<Record<string, string>> = {}) {
  const response = await fetch(url, {
    method,
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
}

describe("components in the console (skipped without Chromium: CHROMIUM_PATH)", inBrowser, () => {
  let browser: Browser;
  let served: ConsoleServer;

  beforeAll(async () => {
    browser = await launchBrowser();
  });
  // A second attempt of a test must not find the data of the first.
  beforeEach(async () => {
    await served?.[Symbol.asyncDispose]();
    served = await startConsole({ agents: [writer, reader] });
  });
  afterAll(async () => {
    await browser?.close();
    await served?.[Symbol.asyncDispose]();
  });

  test("a person changes instructions of the code, compares, publishes, returns to an older version and to the code", async () => {
    const { page, check, checkAccessibility } = await openPage(browser, `${served.console}/components?text=writ`);
    const confirm = async (title: string, label: string): Promise<void> => {
      const dialog = page.getByRole("dialog", { name: title });
      await dialog.getByRole("button", { name: label, exact: true }).click();
      await dialog.waitFor({ state: "detached" });
    };
    await page.getByRole("row").filter({ hasText: "Writes texts" }).getByText("the code").waitFor();
    await checkAccessibility();
    await page.getByRole("link", { name: "Writer" }).click();
    await page.getByText("No versions yet").waitFor();
    await page.getByRole("button", { name: "New version" }).click();
    const form = page.getByRole("dialog", { name: "New version of Writer" });
    const instructions = form.getByRole("textbox", { name: "Instructions" });
    await expect.poll(() => instructions.inputValue(), patience).toBe("Write a text.\nUse short sentences.");
    await instructions.fill("Write a text.\nUse long sentences.");
    await form.getByRole("checkbox", { name: "count" }).uncheck();
    await form.getByLabel("Notes").fill("Longer sentences");
    await checkAccessibility();
    await form.getByRole("tab", { name: "JSON" }).click();
    const config = { instructions: "Write a text.\nUse long sentences.", tools: ["spell"] };
    await expect
      .poll(async () => JSON.parse(await form.getByLabel("Config").inputValue()) as unknown, patience)
      .toEqual(config);
    await form.getByRole("button", { name: "Save draft" }).click();
    await page.getByText("Version 1 is saved as a draft.").waitFor();
    const changes = page.getByRole("region", { name: "Changes of instructions" });
    await changes.getByText("Use long sentences.").waitFor();
    expect(await changes.locator("del").textContent()).toMatch(/Use short sentences\.$/);
    expect(await changes.locator("ins").textContent()).toMatch(/Use long sentences\.$/);
    await page.getByRole("region", { name: "Changes of tools" }).waitFor();
    await checkAccessibility();
    await page.getByRole("button", { name: "Publish version 1" }).click();
    await confirm("Publish version 1?", "Publish");
    await page.getByRole("row").filter({ hasText: "Longer sentences" }).getByText("in use").waitFor();
    // The second version begins with the options of the first.
    await page.getByRole("button", { name: "New version" }).click();
    await instructions.fill("Write nothing.");
    await form.getByRole("button", { name: "Save draft" }).click();
    await page.getByRole("button", { name: "Publish version 2" }).click();
    await confirm("Publish version 2?", "Publish");
    await page.getByText("Version 2 is published. New runs use it.").waitFor();
    await page.getByRole("button", { name: "Actions for version 1" }).click();
    await page.getByRole("menuitem", { name: "Use for new runs" }).click();
    await confirm("Use version 1?", "Use version 1");
    await page.getByRole("row").filter({ hasText: "Longer sentences" }).getByText("in use").waitFor();
    await page.getByRole("button", { name: "Use the code" }).click();
    await confirm("Use the code?", "Use the code");
    await page.getByText("New runs use the definition in code.").waitFor();
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await confirm("Delete all versions of Writer?", "Delete");
    await page.getByText("No versions yet").waitFor();
    check();
  });

  test("a person creates a component, and sees the server's faults at the fields and in the JSON", async () => {
    const { page, check, checkAccessibility } = await openPage(browser, `${served.console}/components`, {
      expected: [/status of (404|422)/],
    });
    await page.getByRole("button", { name: "New component" }).click();
    const dialog = page.getByRole("dialog", { name: "New component" });
    await dialog.getByLabel("Name").fill("Press Office");
    await checkAccessibility();
    await dialog.getByRole("button", { name: "Create" }).click();
    const form = page.getByRole("dialog", { name: "New version of Press Office" });
    await form.getByRole("tab", { name: "JSON" }).click();
    const json = form.getByLabel("Config");
    await json.fill("not JSON");
    await form.getByText("This is not a JSON object").waitFor();
    await json.fill('{"instruction": "Greet."}');
    await form.getByRole("button", { name: "Save draft" }).click();
    await form.getByText(/has no option "instruction"/).waitFor();
    await json.fill('{"maxSteps": 0}');
    await form.getByRole("tab", { name: "Form" }).click();
    await form.getByRole("button", { name: "Save draft" }).click();
    await form.getByText(/maxSteps must be/).waitFor();
    await expect.poll(() => form.getByLabel("Max model requests").getAttribute("aria-invalid"), patience).toBe("true");
    await checkAccessibility();
    await form.getByLabel("Max model requests").fill("4");
    await form.getByRole("textbox", { name: "Instructions" }).fill("Greet.");
    await form.getByLabel("Label").fill("first");
    await form.getByRole("button", { name: "Save draft" }).click();
    await page.getByText("Version 1 is saved as a draft.").waitFor();
    await page.getByRole("link", { name: "Try version 1" }).click();
    await page.getByText("You try version 1").waitFor();
    expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe(
      "/console/chat/agent/press-office?version=1",
    );
    await page.getByRole("textbox", { name: "Message to press-office" }).fill("Hello");
    await page.keyboard.press("Enter");
    await page.getByRole("article").getByText("As told: Greet.").waitFor();
    await page.getByRole("link", { name: "Timeline" }).click();
    await page.getByRole("definition").getByRole("link", { name: "1", exact: true }).waitFor();
    check();
  });

  test("the list and the page of a component fit a phone in dark colours", async () => {
    const draft = { config: { instructions: "Read aloud." }, label: "aloud", notes: "Louder" };
    await send("POST", `${served.url}/components/reader/configs`, draft);
    for (const [colorScheme, viewport] of looks) {
      for (const [path, text] of [
        ["/components", "reader"],
        ["/components/agent/reader", "Read aloud."],
        ["/components/agent/reader?edit=1", "Save draft"],
      ] as const) {
        const opened = await openPage(browser, `${served.console}${path}`, { colorScheme, viewport });
        await opened.page.getByText(text).first().waitFor();
        await opened.checkAccessibility();
        expect(await opened.page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
        opened.check();
      }
    }
  });

  test("a person rates an answer in the chat with a note, and the page of the run shows it", async () => {
    const { page, check, checkAccessibility } = await openPage(browser, `${served.console}/chat/agent/reader`);
    await page.getByRole("textbox", { name: "Message to reader" }).fill("Read this");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Bad answer" }).click();
    await page.getByRole("button", { name: "Add a note" }).click();
    await page.getByRole("textbox", { name: "Note" }).fill("Too short");
    await checkAccessibility();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("button", { name: "Change the note" }).waitFor();
    await page.getByRole("link", { name: "Timeline" }).click();
    await page.getByRole("region", { name: "Feedback" }).getByText("Too short").waitFor();
    await checkAccessibility();
    const bad = page.getByRole("button", { name: "Bad answer" });
    expect(await bad.getAttribute("aria-pressed")).toBe("true");
    // The same button removes it.
    await bad.click();
    await page.getByRole("region", { name: "Feedback" }).waitFor({ state: "detached" });
    check();
  });

  test("a version is exported as a file, and a changed file becomes a draft", async () => {
    const id = `porter-${randomUUID().slice(0, 8)}`;
    const stored = { name: "Porter", component_id: id, component_type: "agent", stage: "published" };
    await send("POST", `${served.url}/components`, { ...stored, config: { instructions: "Carry bags." } });
    const expected = [/status of 400/];
    const { page, check, checkAccessibility } = await openPage(browser, `${served.console}/components/agent/${id}`, {
      expected,
    });
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export" }).click();
    const file = await saved;
    expect(file.suggestedFilename()).toBe(`${id}-1.json`);
    const exported = JSON.parse(await readFile(await file.path(), "utf8"));
    expect(exported).toMatchObject({ component_id: id, config: { instructions: "Carry bags." } });
    const load = async (text: string): Promise<void> => {
      const chooser = page.waitForEvent("filechooser");
      await page.getByRole("button", { name: "Import" }).click();
      await (await chooser).setFiles({ name: "porter.json", mimeType: "application/json", buffer: Buffer.from(text) });
    };
    await page.goto(`${served.console}/components`);
    await load("no JSON");
    await page.getByText("porter.json is not an export").waitFor();
    const config = { instructions: "Carry bags and boxes." };
    await load(JSON.stringify({ ...exported, component_type: "team", config }));
    await page.getByText(/is of the type agent/).waitFor();
    const changed = JSON.stringify({ ...exported, config });
    await load(changed);
    await page.getByRole("heading", { name: "Porter", exact: true }).waitFor();
    await page.getByRole("button", { name: "Publish version 2" }).waitFor();
    await checkAccessibility();
    await page.goto(`${served.console}/components`);
    await load(changed);
    await page.getByRole("heading", { name: "Porter", exact: true }).waitFor();
    await page.getByRole("button", { name: "Publish version 2" }).waitFor();
    expect(await page.getByRole("button", { name: /^Actions for version/ }).count()).toBe(2);
    check();
  });

  test("a caller without the right to write sees versions, but no action that changes them", async () => {
    const pair = makePair();
    const authorization = { verificationKeys: [pair.pem] };
    await using guarded = await startConsole({ agents: [writer], authorization });
    const admin = bearer(token({ sub: "root", scopes: ["agent_os:admin"] }, pair));
    const version = { config: { instructions: "Write less." }, stage: "published" };
    await send("POST", `${guarded.url}/components/writer/configs`, version, admin);
    const { page, check } = await openPage(browser, `${guarded.console}/components/agent/writer`, {
      expected: [/status of 401/],
    });
    await signIn(page, token({ sub: "alice", scopes: ["components:read"] }, pair), { keep: true });
    await page.getByText("in use").waitFor();
    await page.getByRole("region", { name: "Changes of instructions" }).getByText("Write less.").waitFor();
    expect(await page.getByRole("button", { name: /New version|Publish|Delete|Use the code|Import/ }).count()).toBe(0);
    expect(await page.getByRole("link", { name: /Try|Chat/ }).count()).toBe(0);
    check();
  });

  test("a component that others need is deleted or returned to the code only after a second question with their names", async () => {
    const inner = defineTeam({ id: "inner", model: scriptedModel(() => "Done."), members: [reader] });
    const outer = defineTeam({ id: "outer", model: scriptedModel(() => "Done."), members: [inner] });
    await using own = await startConsole({ agents: [reader], teams: [inner, outer] });
    const publish = (path: string, body: object) =>
      send("POST", `${own.url}/components${path}`, { ...body, stage: "published" });
    await publish("", { name: "Poet", component_type: "agent", config: { instructions: "Rhyme." } });
    await publish("", { name: "Desk", component_type: "team", config: { members: [{ agent: "poet" }] } });
    // In code, outer has the member inner: the version of inner needs the version of outer.
    await publish("/outer/configs", { config: { members: [{ agent: "reader" }] } });
    await publish("/inner/configs", { config: { members: [{ team: "outer" }] } });
    const cases = [
      ["team/outer", "Use the code", "Use the code?", "outer is in use", "team inner", null],
      ["agent/poet", "Delete", "Delete all versions of Poet?", "Poet is in use", "team desk", 404],
    ] as const;
    for (const [index, [path, label, title, secondTitle, user, after]] of cases.entries()) {
      const [colorScheme, viewport] = looks[index]!;
      const expected = [/status of 409/];
      const opened = await openPage(browser, `${own.console}/components/${path}`, { colorScheme, viewport, expected });
      const { page } = opened;
      const second = page.getByRole("dialog", { name: secondTitle });
      const ask = async (): Promise<void> => {
        await page.getByRole("button", { name: label, exact: true }).click();
        await page.getByRole("dialog", { name: title }).getByRole("button", { name: label, exact: true }).click();
        await second.getByText(`: ${user}.`).waitFor();
        await page.getByRole("dialog", { name: title }).waitFor({ state: "detached" });
      };
      /** The number; null if new runs use the code; the status if the component does not exist. */
      const currentVersion = async (): Promise<number | null> => {
        const response = await fetch(`${own.url}/components/${path.split("/")[1]}`);
        if (!response.ok) return response.status;
        return ((await response.json()) as { current_version?: number }).current_version ?? null;
      };
      await ask();
      await opened.checkAccessibility();
      await second.getByRole("button", { name: "Cancel" }).click();
      await second.waitFor({ state: "detached" });
      expect(await currentVersion()).toBe(1);
      await ask();
      await second.getByRole("button", { name: `${label} anyway` }).click();
      await page.getByRole("button", { name: label, exact: true }).waitFor({ state: "detached" });
      await expect.poll(currentVersion, patience).toBe(after);
      opened.check();
    }
  });
});
