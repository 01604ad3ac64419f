/** The chat in a real browser: streaming, the cursor, questions, and further tries. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { defineAgent } from "../../src/define/agent.ts";
import { defineTeam } from "../../src/define/team.ts";
import { defineTool } from "../../src/define/tool.ts";
import { step } from "../../src/define/workflow/steps.ts";
import { defineWorkflow } from "../../src/define/workflow/workflow.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { launchBrowser } from "../support/browser.ts";
import { makePair, token } from "../support/tokens.ts";
import { openPage, signIn } from "./support/browser.ts";
import { type ConsoleServer, inBrowser, startConsole } from "./support/set-up.ts";

const words = Array.from({ length: 90 }, (_, at) => `word${at}`).join(" ");
/** A stream lasts long enough for a second tab to open in its middle, also on a slow machine. */
const pace = { delay: () => 80 };

const writer = defineAgent({
  id: "writer",
  name: "Writer",
  role: "Writes",
  model: scriptedModel(({ message }) => ({ reasoning: "Think first.", text: `About ${message}: ${words}`, ...pace })),
});
const greeter = defineAgent({
  id: "greeter",
  name: "Greeter",
  model: scriptedModel(({ message }) => `You said ${message}.`),
});
const pay = defineTool({
  name: "pay",
  description: "Pays",
  input: z.object({ euros: z.number() }),
  confirm: true,
  execute: ({ euros }) => `paid ${euros}`,
});
const book = defineTool({
  name: "book",
  description: "Books a table",
  input: z.object({ guests: z.number(), name: z.string() }),
  userInput: ["guests", "name"],
  execute: ({ guests, name }) => `table for ${guests}, ${name}`,
});
const cashier = defineAgent({
  id: "cashier",
  name: "Cashier",
  tools: [pay, book],
  model: scriptedModel(({ message, results: [result] }) => {
    if (result) return `Result: ${result.text}`;
    return { toolCalls: [message === "book" ? { name: "book", input: {} } : { name: "pay", input: { euros: 30 } }] };
  }),
});
const desk = defineTeam({
  id: "desk",
  name: "Desk",
  mode: "coordinate",
  members: [writer],
  model: scriptedModel(({ message, results: [result] }) =>
    result
      ? { text: `The writer wrote. ${result.text}`, ...pace }
      : { toolCalls: [{ name: "delegate_task_to_member", input: { member_id: "writer", task: message } }] },
  ),
});
const trip = defineWorkflow({
  id: "trip",
  name: "Trip",
  steps: [
    step({ name: "plan", run: ({ message }) => `A day in ${message}` }),
    step({ name: "book", confirm: "Book this day?", run: ({ previous }) => `Booked: ${previous}` }),
  ],
});

/** Sends a message, and returns the answer's element. */
async function send(page: Page, message: string) {
  const before = await page.getByRole("article").count();
  await page.getByRole("textbox", { name: /^Message to/ }).fill(message);
  await page.keyboard.press("Enter");
  const answer = page.getByRole("article").nth(before);
  await answer.waitFor();
  return answer;
}

function connection(page: Page) {
  return page.getByTestId("connection");
}

async function finished(page: Page): Promise<void> {
  await expect.poll(() => connection(page).innerText(), { timeout: 60_000 }).toBe("Finished");
}

async function storedContent(url: string, page: Page): Promise<string> {
  const { pathname, searchParams } = new URL(page.url());
  const [kind, id] = pathname.split("/").slice(-2);
  const query = `session_id=${searchParams.get("session")}`;
  const response = await fetch(`${url}/${kind}s/${id}/runs/${searchParams.get("run")}?${query}`);
  expect(response.status).toBe(200);
  const { content } = (await response.json()) as { content: string };
  return content;
}

describe("the chat (skipped without Chromium: CHROMIUM_PATH)", inBrowser, () => {
  let browser: Browser;
  let served: ConsoleServer;
  const hosted = { agents: [writer, greeter, cashier], teams: [desk], workflows: [trip] };

  beforeAll(async () => {
    [browser, served] = await Promise.all([launchBrowser(), startConsole(hosted)]);
  });
  afterAll(async () => {
    await browser?.close();
    await served?.[Symbol.asyncDispose]();
  });

  test("lists the components, and a team's run streams with its member's answer nested", async () => {
    const { page, check, checkAccessibility } = await openPage(browser, `${served.console}/chat`, {
      colorScheme: "dark",
    });
    await page.getByRole("link", { name: "Desk" }).waitFor();
    await checkAccessibility();
    await page.getByRole("link", { name: "Desk" }).click();
    await page.getByText("Talk to Desk").waitFor();
    const answer = await send(page, "Rome");
    await answer.getByText("About Rome").waitFor();
    await expect.poll(() => connection(page).innerText()).toBe("Live");
    await checkAccessibility();
    await answer.getByRole("button", { name: "Reasoning" }).click();
    await answer.getByText("Think first.").waitFor();
    await finished(page);
    await expect.poll(() => answer.innerText()).toContain(await storedContent(served.url, page));
    await checkAccessibility();
    check();
  });

  test("a cut connection resumes after the cursor, and nothing is missing", async () => {
    const { page, check } = await openPage(browser, `${served.console}/chat/agent/writer`);
    const answer = await send(page, "Oslo");
    await answer.getByText("word9").waitFor();
    await page.getByRole("button", { name: "Cut my connection" }).click();
    await page.getByText(/You cut the connection after event \d+/).waitFor();
    await page
      .getByText(/^Resumed after event \d+\. \d+ events came meanwhile; none is missing, none is repeated\.$/)
      .waitFor();
    await finished(page);
    await expect.poll(() => answer.innerText()).toContain(await storedContent(served.url, page));
    check();
  });

  test("a second tab shows the same stream, and a reload in the middle resumes", async () => {
    const first = await openPage(browser, `${served.console}/chat/agent/writer`);
    await (await send(first.page, "Bonn")).getByText("word5").waitFor();
    const second = await openPage(browser, first.page.url());
    await second.page.getByRole("article").getByText("word9").waitFor();
    // On a slow machine the run may end before the second tab is open.
    await expect.poll(() => connection(second.page).innerText()).toMatch(/^(Live|Finished)$/);
    await first.page.reload();
    await Promise.all([finished(first.page), finished(second.page)]);
    const content = await storedContent(served.url, first.page);
    for (const { page, check } of [first, second]) {
      await expect.poll(() => page.getByRole("article").innerText()).toContain(content);
      check();
    }
  });

  test("stop cancels the run on the server", async () => {
    const { page, check } = await openPage(browser, `${served.console}/chat/agent/writer`);
    const answer = await send(page, "Bern");
    await answer.getByText("word3").waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await answer.getByText("The run was cancelled.").waitFor();
    await expect.poll(() => answer.innerText()).not.toContain("word89");
    check();
  });

  test("a tool call waits for an approval; a rejection carries a note to the model", async () => {
    const { page, check, checkAccessibility } = await openPage(browser, `${served.console}/chat/agent/cashier`);
    const approved = await send(page, "pay");
    await approved.getByRole("group", { name: "pay" }).waitFor();
    await checkAccessibility();
    await approved.getByRole("button", { name: "Approve" }).click();
    await approved.getByText("Result: paid 30").waitFor();
    const rejected = await send(page, "pay");
    await rejected.getByLabel("Note").fill("Too much");
    await rejected.getByRole("button", { name: "Reject" }).click();
    await rejected.getByText(/Result: .*Too much/).waitFor();
    const entered = await send(page, "book");
    await entered.getByLabel("guests").fill("4");
    await entered.getByLabel("name").fill("Ada");
    await entered.getByRole("button", { name: "Send the answer" }).click();
    await entered.getByText("Result: table for 4, Ada").waitFor();
    check();
  });

  test("a workflow's question is answered, also by a second tab", async () => {
    const { page, check, checkAccessibility } = await openPage(browser, `${served.console}/chat/workflow/trip`);
    const answer = await send(page, "Rome");
    await answer.getByText("Book this day?").waitFor();
    await expect.poll(() => connection(page).innerText()).toBe("Waits for an answer");
    await checkAccessibility();
    const second = await openPage(browser, page.url());
    await second.page.getByRole("button", { name: "Approve" }).click();
    for (const one of [page, second.page]) await one.getByText("Booked: A day in Rome").first().waitFor();
    await Promise.all([finished(page), finished(second.page)]);
    check();
    second.check();
  });

  test("a further message continues the session; the last answer is regenerated, and an edited message replaces it", async () => {
    const { page, check } = await openPage(browser, `${served.console}/chat/agent/greeter`);
    await (await send(page, "one")).getByText("You said one.").waitFor();
    const session = new URL(page.url()).searchParams.get("session");
    await (await send(page, "two")).getByText("You said two.").waitFor();
    const before = new URL(page.url()).searchParams.get("run");
    await page.getByRole("button", { name: "Regenerate" }).click();
    await expect.poll(() => new URL(page.url()).searchParams.get("run")).not.toBe(before);
    await finished(page);
    await expect.poll(() => page.getByText("You said two.").count()).toBe(1);
    await page.getByRole("button", { name: "Edit" }).last().click();
    await page.getByLabel("Edit the message").fill("three");
    await page.getByRole("button", { name: "Replace the answer" }).click();
    await page.getByText("You said three.").waitFor();
    await expect.poll(() => page.getByText("You said two.").count()).toBe(0);
    expect(new URL(page.url()).searchParams.get("session")).toBe(session);
    await page.reload();
    await page.getByText("You said three.").waitFor();
    await expect
      .poll(() => page.getByRole("article").allInnerTexts())
      .toEqual([expect.stringContaining("You said one."), expect.stringContaining("You said three.")]);
    check();
  });

  test("an earlier message is edited in a fork, and a session is forked", async () => {
    const { page, check } = await openPage(browser, `${served.console}/chat/agent/greeter`);
    for (const message of ["one", "two", "three"])
      await (await send(page, message)).getByText(`You said ${message}.`).waitFor();
    await finished(page);
    const session = new URL(page.url()).searchParams.get("session");
    await page.getByRole("button", { name: "Edit" }).nth(1).click();
    await page.getByLabel("Edit the message").fill("four");
    await expect.poll(() => page.getByRole("button", { name: "Replace the answer" }).count()).toBe(0);
    await page.getByRole("button", { name: "Send in a fork" }).click();
    await expect.poll(() => new URL(page.url()).searchParams.get("session")).not.toBe(session);
    await page.getByText("You said four.").waitFor();
    await page.getByText("You said one.").waitFor();
    await expect.poll(() => page.getByText("You said two.").count()).toBe(0);
    const forked = new URL(page.url()).searchParams.get("session");
    await finished(page);
    await page.getByRole("button", { name: "Fork session" }).click();
    await expect.poll(() => new URL(page.url()).searchParams.get("session")).not.toBe(forked);
    await page.getByText("You said four.").waitFor();
    check();
  });

  test("an attached image is shown, also after a reload", async () => {
    const { page, check } = await openPage(browser, `${served.console}/chat/agent/greeter`);
    const pixel = Buffer.from(
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
      "base64",
    );
    const choice = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Attach files" }).click();
    await (await choice).setFiles({ name: "dot.png", mimeType: "image/png", buffer: pixel });
    await page.getByText("dot.png").waitFor();
    await (await send(page, "a picture")).getByText("You said a picture.").waitFor();
    await page.getByRole("img", { name: "dot.png" }).waitFor();
    await page.reload();
    await page.locator("img[src^='data:image/png']").waitFor();
    check();
  });

  test("a caller who may only read follows the conversation without an input", async () => {
    const pair = makePair();
    await using guarded = await startConsole({ agents: [greeter], authorization: { verificationKeys: [pair.pem] } });
    const writes = token({ sub: "alice", scopes: ["agents:greeter:run"] }, pair);
    const started = await fetch(`${guarded.url}/agents/greeter/runs`, {
      method: "POST",
      headers: { authorization: `Bearer ${writes}` },
      body: new URLSearchParams({ message: "hello", session_id: "s1", stream: "false" }),
    });
    expect(started.status).toBe(200);
    const { page, check, checkAccessibility } = await openPage(
      browser,
      `${guarded.console}/chat/agent/greeter?session=s1`,
      {
        expected: [/status of 401/],
      },
    );
    await signIn(page, token({ sub: "alice", scopes: ["agents:greeter:read"] }, pair));
    await page.getByText("You said hello.").waitFor();
    await expect.poll(() => page.getByRole("textbox", { name: /^Message to/ }).count()).toBe(0);
    await finished(page);
    for (const name of ["Edit", "Regenerate", "Fork session"])
      await expect.poll(() => page.getByRole("button", { name }).count()).toBe(0);
    await checkAccessibility();
    check();
  });
});
