/** The screens with knowledge bases, their documents and searches, in a real browser. */
import type { EmbeddingModelV4 } from "@ai-sdk/provider";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { defineAgent } from "../../src/define/agent.ts";
import { type ContentSource, defineKnowledge } from "../../src/define/knowledge.ts";
import { lexicalEmbedder } from "../../src/knowledge/lexical-embedder.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { launchBrowser } from "../support/browser.ts";
import { bearer, makePair, token } from "../support/tokens.ts";
import { openPage, signIn } from "./support/browser.ts";
import { type ConsoleServer, inBrowser, startConsole } from "./support/set-up.ts";

const patience = { timeout: 30_000 };
const greeter = defineAgent({ id: "greeter", model: scriptedModel(() => "Hello.") });
const looks = [
  ["light", { width: 1280, height: 860 }],
  ["dark", { width: 390, height: 844 }],
] as const;

const runsText = `# Runs

A run is a durable, numbered log.

## Resuming

A client resumes a stream by its cursor, and misses nothing.
`;

const file = (name: string, text: string, mimeType = "text/markdown") => ({
  name,
  mimeType,
  buffer: Buffer.from(text),
});

const storedFiles: Readonly<Record<string, string>> = { "docs/start.md": "# Start", "docs/guides/runs.md": runsText };

/** A remote source. */
const filesInMemory: ContentSource = {
  ...{ id: "files", name: "Files", type: "memory", prefix: "docs/", metadata: { bucket: "one" } },
  async list({ prefix }) {
    const keys = Object.keys(storedFiles).filter((key) => key.startsWith(prefix));
    const files = keys.filter((key) => !key.slice(prefix.length).includes("/"));
    const folders = keys.filter((key) => !files.includes(key)).map((key) => key.slice(0, key.lastIndexOf("/") + 1));
    return {
      files: files.map((key) => ({ key, size: storedFiles[key]?.length ?? 0, modifiedAt: null, mediaType: null })),
      ...{ folders, next: undefined },
    };
  },
  read: async (key) => ({ bytes: Buffer.from(storedFiles[key] ?? ""), mediaType: null }),
};

/** An embedder that waits for `open` before it embeds a text with the word SLOW. */
function gatedEmbedder(): { readonly embedder: EmbeddingModelV4; readonly open: () => void } {
  const lexical = lexicalEmbedder() as EmbeddingModelV4;
  const gate = Promise.withResolvers<void>();
  const embedder: EmbeddingModelV4 = {
    specificationVersion: "v4",
    provider: "test",
    modelId: "gated",
    maxEmbeddingsPerCall: lexical.maxEmbeddingsPerCall,
    supportsParallelCalls: true,
    async doEmbed(options) {
      const { values, abortSignal } = options;
      if (values.some((text) => text.includes("SLOW"))) {
        const ended = new Promise<never>((_, reject) =>
          abortSignal?.addEventListener("abort", () => reject(abortSignal.reason)),
        );
        await Promise.race([gate.promise, ended]);
      }
      return await lexical.doEmbed(options);
    },
  };
  return { embedder, open: gate.resolve };
}

async function addText(url: string, fields: Readonly<Record<string, string>>, headers = {}): Promise<string> {
  const response = await fetch(`${url}/knowledge/content?knowledge_id=manual`, {
    method: "POST",
    headers,
    body: new URLSearchParams(fields),
  });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return ((await response.json()) as { id: string }).id;
}

/** Waits until a document is not being ingested any more. */
async function ingested(url: string, id: string, headers = {}): Promise<void> {
  await expect
    .poll(async () => {
      const response = await fetch(`${url}/knowledge/content/${id}/status?knowledge_id=manual`, { headers });
      return ((await response.json()) as { status: string }).status;
    }, patience)
    .toBe("completed");
}

describe("knowledge in the console (skipped without Chromium: CHROMIUM_PATH)", inBrowser, () => {
  let browser: Browser;
  let served: ConsoleServer;
  let open: () => void;

  beforeAll(async () => {
    browser = await launchBrowser();
  });
  // A second attempt of a test must not find the data of the first.
  beforeEach(async () => {
    await served?.[Symbol.asyncDispose]();
    const gated = gatedEmbedder();
    open = gated.open;
    const manual = defineKnowledge({
      id: "manual",
      name: "Manual",
      description: "How runs work.",
      embedder: gated.embedder,
    });
    const news = defineKnowledge({ id: "news", embedder: lexicalEmbedder() });
    const shelf = defineKnowledge({ id: "shelf", embedder: lexicalEmbedder(), sources: [filesInMemory] });
    served = await startConsole({ agents: [greeter], knowledge: [manual, news, shelf] });
  });
  afterAll(async () => {
    await browser?.close();
    await served?.[Symbol.asyncDispose]();
  });

  test("a person adds files, sees one complete and one fail, changes a document, and deletes both", async () => {
    const { page, check, checkAccessibility } = await openPage(browser, `${served.console}/knowledge`);
    await page.getByRole("row").filter({ hasText: "test:gated" }).getByText("How runs work.").waitFor();
    await checkAccessibility();
    await page.getByRole("link", { name: "Manual", exact: true }).click();
    await page.getByText("No documents yet").waitFor();
    await checkAccessibility();
    await page.getByRole("button", { name: "Add documents" }).first().click();
    const form = page.getByRole("dialog", { name: "Add documents" });
    await form.locator("input[type=file]").setInputFiles([file("runs.md", runsText), file("blank.md", "  \n")]);
    await form.getByLabel("Metadata").fill("not JSON");
    await expect.poll(() => form.getByRole("button", { name: "Add 2 documents" }).isDisabled(), patience).toBe(true);
    await form.getByLabel("Metadata").fill('{"area": "core"}');
    await checkAccessibility();
    await form.getByRole("button", { name: "Add 2 documents" }).click();
    const row = (name: string) => page.getByRole("row").filter({ hasText: name });
    await row("runs.md").getByText("completed").waitFor();
    await row("blank.md").getByText("The document contains no text.").waitFor();
    await checkAccessibility();
    await row("blank.md").getByRole("button", { name: "Retry blank.md" }).click();
    await page.getByText("The document is ingested again.").waitFor();
    await row("blank.md").getByText("The document contains no text.").waitFor();
    await page.getByRole("combobox", { name: "State" }).click();
    await page.getByRole("option", { name: "completed" }).click();
    await expect.poll(() => row("blank.md").count(), patience).toBe(0);
    await page.getByRole("link", { name: "runs.md" }).click();
    await page.getByText("A client resumes a stream by its cursor").waitFor();
    await page.getByText("Runs › Resuming").waitFor();
    await page.getByText('"core"').waitFor();
    await checkAccessibility();
    await page.getByRole("button", { name: "Change" }).click();
    const edit = page.getByRole("dialog", { name: "Change the document" });
    await edit.getByLabel("Name").fill("Guide to runs");
    await edit.getByLabel("Metadata").fill("{}");
    await checkAccessibility();
    await edit.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "Guide to runs", level: 1 }).waitFor();
    await page.getByRole("button", { name: "Delete" }).click();
    const sure = page.getByRole("dialog", { name: "Delete this document?" });
    await sure.getByRole("button", { name: "Delete" }).click();
    await page.getByText("The document is deleted.").waitFor();
    await row("blank.md").waitFor();
    expect(await row("Guide to runs").count()).toBe(0);
    await page.getByLabel("Select blank.md").check();
    await page.getByRole("button", { name: "Delete 1 selected" }).click();
    await sure.getByRole("button", { name: "Delete" }).click();
    await page.getByText("No documents yet").waitFor();
    check();
  });

  test("a running ingestion shows its progress, is cancelled, and completes after a retry", async () => {
    const { page, check, checkAccessibility } = await openPage(browser, `${served.console}/knowledge/manual`);
    await page.getByRole("button", { name: "Add documents" }).first().click();
    const form = page.getByRole("dialog", { name: "Add documents" });
    await form.getByText("Text", { exact: true }).click();
    await form.getByLabel("Name").fill("slow");
    await form.getByRole("textbox", { name: "Text" }).fill("A SLOW text about trains.");
    await form.getByRole("button", { name: "Add", exact: true }).click();
    const row = page.getByRole("row").filter({ hasText: "slow" });
    await row.getByText("0 of 1 chunks embedded").waitFor();
    await checkAccessibility();
    await row.getByRole("button", { name: "Cancel slow" }).click();
    await row.getByText("The ingestion was cancelled.").waitFor();
    open();
    await row.getByRole("button", { name: "Retry slow" }).click();
    await row.getByText("completed").waitFor();
    check();
  });

  test("a rejected upload stays in the list with its reason, and is removed", async () => {
    const { page, check } = await openPage(browser, `${served.console}/knowledge/news?dialog=add`, {
      expected: [/status of 422/],
    });
    const form = page.getByRole("dialog", { name: "Add documents" });
    await form.locator("input[type=file]").setInputFiles([file("empty.md", "")]);
    await form.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("alert").getByText("the file is empty").waitFor();
    await page.getByRole("button", { name: "Send again" }).click();
    await page.getByRole("alert").getByText("the file is empty").waitFor();
    await page.getByRole("button", { name: "Do not add empty.md" }).click();
    await expect.poll(() => page.getByRole("alert").count(), patience).toBe(0);
    check();
  });

  test("a search shows scores and ranks by mode and filter, and opens the chunk that it found", async () => {
    const id = await addText(served.url, {
      name: "trains.md",
      text_content: "Trains run at night.",
      metadata: '{"year": 2024}',
    });
    const other = await addText(served.url, {
      name: "planes.md",
      text_content: "Planes fly by day.",
      metadata: '{"year": 2020}',
    });
    await Promise.all([ingested(served.url, id), ingested(served.url, other)]);
    const { page, check, checkAccessibility } = await openPage(
      browser,
      `${served.console}/knowledge/manual?tab=search`,
    );
    await page.getByText("Ask what an agent would ask").waitFor();
    await page.getByLabel("Question").fill("trains at night");
    await page.keyboard.press("Enter");
    const row = page.getByRole("row").filter({ hasText: "trains.md" });
    await row.getByRole("cell", { name: "1", exact: true }).first().waitFor();
    await page.getByRole("columnheader", { name: "Vector rank" }).waitFor();
    await checkAccessibility();
    await page.getByText("Lexical", { exact: true }).click();
    await expect.poll(() => page.getByRole("columnheader", { name: "Vector rank" }).count(), patience).toBe(0);
    await row.waitFor();
    await page.reload();
    await row.waitFor();
    await page.getByLabel("Filters").fill('{"year": {"lt": 2021}}');
    await page.keyboard.press("Enter");
    await page.getByText("No chunk matches the filters").waitFor();
    await page.getByRole("button", { name: "Remove the filters" }).click();
    await row.getByRole("link", { name: "trains.md" }).click();
    await page.getByRole("heading", { name: "trains.md", level: 1 }).waitFor();
    await page.locator("#chunk-0[aria-current=true]").getByText("Trains run at night.").waitFor();
    check();
  });

  test("all pages fit a phone in dark colours", async () => {
    const id = await addText(served.url, {
      name: `a-very-long-name-of-a-document-${"x".repeat(80)}.md`,
      text_content: runsText,
    });
    await ingested(served.url, id);
    for (const [colorScheme, viewport] of looks)
      for (const path of ["", "/manual", "/manual?tab=search&q=resume", `/manual/${id}?chunk=0`]) {
        const opened = await openPage(browser, `${served.console}/knowledge${path}`, { colorScheme, viewport });
        await opened.page.getByRole("table").first().waitFor();
        await opened.page.waitForLoadState("networkidle");
        await opened.checkAccessibility();
        expect([path, await opened.page.evaluate("document.documentElement.scrollWidth <= innerWidth")]).toEqual([
          path,
          true,
        ]);
        opened.check();
        await opened.page.context().close();
      }
  });

  test("a person opens a folder of a remote source, and adds a file and a path", async () => {
    const { page, check, checkAccessibility } = await openPage(browser, `${served.console}/knowledge/shelf`);
    await page.getByRole("tab", { name: "Sources" }).click();
    await page.getByText("memory · one").waitFor();
    await page.getByRole("row").filter({ hasText: "start.md" }).waitFor();
    await checkAccessibility();
    await page.getByRole("link", { name: "guides/" }).click();
    await page.getByRole("button", { name: "Add runs.md" }).click();
    await page.getByText("docs/guides/runs.md is a document now.").waitFor();
    const path = page.getByRole("textbox", { name: "Path" });
    await path.fill("elsewhere.md");
    await page.getByText("The path must begin with docs/").waitFor();
    await path.fill("docs/start.md");
    await page.getByRole("button", { name: "Add path" }).click();
    await page.getByText("docs/start.md is a document now.").waitFor();
    await page.getByRole("link", { name: "docs/", exact: true }).click();
    await page.getByRole("row").filter({ hasText: "start.md" }).waitFor();
    await page.getByRole("tab", { name: "Documents" }).click();
    for (const name of ["runs.md", "start.md"])
      await page.getByRole("row").filter({ hasText: name }).getByText("completed").waitFor();
    check();
  });

  test("the sources of an answer open the cited chunk, from the conversation, the chat and the timeline", async () => {
    const manual = defineKnowledge({ id: "manual", embedder: lexicalEmbedder() });
    const librarian = defineAgent({
      id: "librarian",
      knowledge: [manual],
      model: scriptedModel(({ message, results }) =>
        results.length > 0
          ? "By its cursor [1]."
          : { toolCalls: [{ name: "search_knowledge_base", input: { query: message } }] },
      ),
    });
    await using citing = await startConsole({ agents: [librarian] });
    const id = await addText(citing.url, { name: "runs.md", text_content: runsText, chunker: "markdown" });
    await ingested(citing.url, id);
    const body = new URLSearchParams({
      message: "How does a client resume a stream?",
      session_id: "s1",
      stream: "false",
    });
    const response = await fetch(`${citing.url}/agents/librarian/runs`, { method: "POST", body });
    const { run_id: run } = (await response.json()) as { run_id: string };
    const { page, check, checkAccessibility } = await openPage(browser, `${citing.console}/sessions/s1`);
    const sources = page.getByRole("region", { name: "Sources" });
    const link = sources.getByRole("link", { name: "runs.md" });
    const shown = page.locator("#chunk-1[aria-current=true]").getByText("A client resumes a stream by its cursor");
    await link.waitFor();
    await checkAccessibility();
    await link.click();
    await shown.waitFor();
    await page.goto(`${citing.console}/chat/agent/librarian?session=s1`);
    await link.click();
    await shown.waitFor();
    await page.goto(`${citing.console}/runs/agent/librarian/${run}?session=s1`);
    await page.getByRole("button", { name: /^Tool call search_knowledge_base/ }).click();
    await page
      .getByRole("dialog")
      .getByRole("region", { name: "Found" })
      .getByRole("link", { name: "runs.md" })
      .first()
      .waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: /^Run librarian/ }).click();
    await checkAccessibility();
    await page.getByRole("dialog").locator(link).click();
    await shown.waitFor();
    check();
  });

  test("callers who see only their own data see shared documents without actions, and those without scopes no buttons", async () => {
    const pair = makePair();
    const authorization = { verificationKeys: [pair.pem], userIsolation: true };
    const knowledge = [defineKnowledge({ id: "manual", embedder: lexicalEmbedder() })];
    await using guarded = await startConsole({ agents: [greeter], knowledge, authorization });
    const admin = bearer(token({ sub: "root", scopes: ["agent_os:admin"] }, pair));
    const scopes = ["knowledge:read", "knowledge:write", "knowledge:delete"];
    await addText(guarded.url, { name: "shared", text_content: "For all." }, admin);
    for (const user of ["alice", "bob"])
      await addText(
        guarded.url,
        { name: `note of ${user}`, text_content: user },
        bearer(token({ sub: user, scopes }, pair)),
      );
    const { page, check } = await openPage(browser, `${guarded.console}/knowledge/manual`, {
      expected: [/status of 401/],
    });
    await signIn(page, token({ sub: "alice", scopes }, pair), { keep: true });
    await page.getByRole("link", { name: "note of alice" }).click();
    await page.getByRole("button", { name: "Delete" }).waitFor();
    await page.getByRole("link", { name: "manual", exact: true }).click();
    await page.getByRole("link", { name: "shared" }).click();
    await page.getByText("For all.").waitFor();
    expect(await page.getByRole("button", { name: /Change|Delete|Retry/ }).count()).toBe(0);
    await page.goto(`${guarded.console}/knowledge/manual`);
    await page.getByRole("link", { name: "shared" }).waitFor();
    expect(await page.getByText("note of bob").count()).toBe(0);
    check();
    const reading = await openPage(browser, `${guarded.console}/knowledge/manual`, { expected: [/status of 401/] });
    await signIn(reading.page, token({ sub: "bob", scopes: ["knowledge:read"] }, pair), { keep: true });
    await reading.page.getByRole("link", { name: "note of bob" }).waitFor();
    expect(await reading.page.getByText("note of alice").count()).toBe(0);
    expect(await reading.page.getByRole("button", { name: /Add documents|Delete|Retry/ }).count()).toBe(0);
    expect(await reading.page.getByRole("checkbox").count()).toBe(0);
    await reading.page.getByRole("link", { name: "note of bob" }).click();
    await reading.page.getByRole("heading", { name: "note of bob", level: 1 }).waitFor();
    expect(await reading.page.getByRole("button", { name: /Change|Delete|Retry/ }).count()).toBe(0);
    reading.check();
  });
});
