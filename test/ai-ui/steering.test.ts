/** A message that the stock client sends while the run of its chat is live. */
import { expect, test } from "vitest";
import { z } from "zod";
import { defineAgent, defineTool, defineWorkflow, step } from "../../src/index.ts";
import { type ScriptedCall, type ScriptedTurn, scriptedModel } from "../../src/testing/index.ts";
import { eachDatabase } from "../support/databases.ts";
import { Gate } from "../support/gate.ts";
import { openServer } from "../support/open-server.ts";
import { openChat, textOf } from "./support/chat.ts";

/** An agent whose tool waits at a gate. */
function office(gate: Gate) {
  const wait = defineTool({
    ...{ name: "wait", description: "Waits.", input: z.object({}) },
    async execute() {
      await gate.pass();
      return "waited";
    },
  });
  const script = ({ message, results }: ScriptedCall): ScriptedTurn | string =>
    message === "work" && results.length === 0
      ? { text: "Wait.", toolCalls: [{ name: "wait" }] }
      : `You said ${message}.`;
  const clerk = defineAgent({ id: "clerk", model: scriptedModel(script), tools: [wait] });
  return { agents: [clerk], workflows: [defineWorkflow({ id: "flow", steps: [step({ name: "one", agent: clerk })] })] };
}

/** The ids of the runs of a session, oldest first. */
async function runsOf(origin: string, session: string): Promise<string[]> {
  const runs = (await (await fetch(`${origin}/sessions/${session}/runs`)).json()) as { run_id: string }[];
  return runs.map(({ run_id }) => run_id);
}

eachDatabase("a message of useChat to a live run", (openDatabase) => {
  test("goes into the run; both requests stream its whole message, and other clients see it", async () => {
    const gate = new Gate();
    await using server = await openServer(await openDatabase(), office(gate));
    const { origin } = server.client.address;
    const accepted: string[] = [];
    const chat = openChat(origin, "agents/clerk", {
      transport: {
        async fetch(address, init) {
          const response = await fetch(address, init);
          accepted.push(response.headers.get("x-run-id") ?? "");
          return response;
        },
      },
    });
    const first = chat.sendMessage({ text: "work" });
    await gate.crowd(1);
    await expect.poll(() => textOf(chat.lastMessage)).toBe("Wait.");
    const second = chat.sendMessage({ text: "and this" });
    await expect.poll(() => accepted).toHaveLength(2);
    const other = openChat(origin, "agents/clerk", { id: chat.id });
    const resumed = other.resumeStream();
    await expect.poll(() => textOf(other.lastMessage)).toBe("Wait.");
    gate.open();
    await Promise.all([first, second, resumed]);
    expect([chat.error, chat.status]).toEqual([undefined, "ready"]);
    const [question, answer, sent] = chat.messages;
    expect(accepted).toEqual([answer?.id, answer?.id]);
    expect(chat.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    expect([question, sent].map(textOf)).toEqual(["work", "and this"]);
    expect(textOf(answer)).toBe("Wait.|You said and this.");
    expect(answer?.parts.find(({ type }) => type === "steering-message")).toEqual({
      type: "steering-message",
      id: sent?.id,
      parts: [{ type: "text", text: "and this" }],
    });
    expect(other.lastMessage).toEqual(answer);
    expect(await runsOf(origin, chat.id)).toEqual([answer?.id]);

    await chat.sendMessage({ text: "later" });
    expect(textOf(chat.lastMessage)).toBe("You said later.");
    expect(await runsOf(origin, chat.id)).toHaveLength(2);
  });

  test("goes into the run once for its id, also if it is repeated after the end of the run", async () => {
    const gate = new Gate();
    await using server = await openServer(await openDatabase(), office(gate));
    const { origin } = server.client.address;
    const post = (id: string, text: string, kind = "agents/clerk", more: readonly object[] = []): Promise<Response> =>
      fetch(`${origin}/ui/${kind}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ id: "chat-1", message: { id, role: "user", parts: [{ type: "text", text }, ...more] } }),
      });
    const replayed = (response: Response): string | null => response.headers.get("idempotency-replayed");
    const work = await post("m1", "work");
    await gate.crowd(1);
    const added = await post("m2", "and this");
    // The message that started the run is not put into it.
    const again = [await post("m1", "work"), await post("m2", "and this")];
    expect([work, added, ...again].map(replayed)).toEqual([null, null, "true", "true"]);
    expect((await post("m2", "something else")).status).toBe(422);
    // A message with a file waits for its turn.
    const waiting = await post("m3", "look", "agents/clerk", [
      { type: "file", mediaType: "text/plain", url: "data:text/plain,hi" },
    ]);
    gate.open();
    const texts = await Promise.all([work, added, ...again].map((response) => response.text()));
    expect(texts).toEqual(texts.map(() => texts[0]));
    const messages = texts[0]?.split("\n").filter((line) => line.includes('"steering-message"'));
    expect(messages).toHaveLength(1);
    expect(await waiting.text()).toContain("look");
    const runs = await runsOf(origin, "chat-1");
    expect(runs).toEqual([work, waiting].map((response) => response.headers.get("x-run-id")));
  });

  test("waits for its turn if the component is a workflow", async () => {
    const gate = new Gate();
    await using server = await openServer(await openDatabase(), office(gate));
    const { origin } = server.client.address;
    const chat = openChat(origin, "workflows/flow");
    const first = chat.sendMessage({ text: "work" });
    await gate.crowd(1);
    const second = chat.sendMessage({ text: "and this" });
    gate.open();
    await Promise.all([first, second]);
    expect(chat.error).toBeUndefined();
    expect(await runsOf(origin, chat.id)).toHaveLength(2);
  });
});
