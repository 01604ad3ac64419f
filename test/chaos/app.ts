/** The platform of a chaos run's replicas: an agent that emits text, and a team whose members' tools append a line to a file per call. */
import { randomUUID } from "node:crypto";
import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { defineAgent, definePlatform, defineTeam, defineTool, type Tool } from "troupe";
import { type ScriptedTurn, scriptedModel } from "troupe/testing";
import { z } from "zod";

// A server does not outlive who started it.
process.on("disconnect", () => process.exit(1));

/** The content of a message. */
interface Order {
  readonly words: number;
  readonly delay: number;
}

/** Writes the line at once; the call takes a while longer, so that processes die during calls. */
function effectTool(name: "note" | "pay", idempotent: boolean): Tool {
  return defineTool({
    name,
    description: "Leaves a line",
    input: z.object({}),
    idempotent,
    async execute(_, { idempotencyKey, rootRunId }) {
      const line = JSON.stringify({ name, key: idempotencyKey, run: rootRunId });
      appendFileSync(process.env.TEST_EFFECTS as string, `${line}\n`);
      await sleep(300);
      return "done";
    },
  });
}

/** Ends the turn's text with a unique tag that states its usage: stored answers show what their requests have used. */
function tagged(turn: ScriptedTurn & { readonly text: readonly string[] }): ScriptedTurn {
  const usage = { input: Math.ceil(Math.random() * 1_000), output: Math.ceil(Math.random() * 100) };
  return { ...turn, usage, text: [...turn.text, `#${randomUUID()}:${usage.input}:${usage.output}#`] };
}

function say({ words, delay }: Order): ScriptedTurn {
  const text = Array.from({ length: words }, (_, place) => `${place} `);
  return tagged({ text, delay: () => delay * 2 * Math.random() });
}

const talker = defineAgent({ id: "talker", model: scriptedModel(({ message }) => say(JSON.parse(message) as Order)) });

const member = (name: "note" | "pay", idempotent: boolean) =>
  defineAgent({
    id: name,
    tools: [effectTool(name, idempotent)],
    model: scriptedModel(({ message, results }) => {
      const said = say(JSON.parse(message) as Order);
      return results.length > 0 ? said : { ...said, toolCalls: [{ name }] };
    }),
  });

const desk = defineTeam({
  id: "desk",
  members: [member("note", false), member("pay", true)],
  // Never reached: its counter is checked. The previous release has no limits.
  ...(process.env.TEST_RELEASE === "previous" ? {} : { limits: { perDay: { tokens: 1_000_000_000 } } }),
  model: scriptedModel(({ message, results }) => {
    const order = JSON.parse(message) as Order;
    if (results.length > 0) return say(order);
    const task = JSON.stringify({ ...order, words: Math.ceil(order.words / 3) });
    const toolCalls = ["note", "pay"].map((member_id) => ({
      name: "delegate_task_to_member",
      input: { member_id, task },
    }));
    return tagged({ text: ["Let ", "me ", "ask."], delay: order.delay, toolCalls });
  }),
});

const settings = JSON.parse(process.env.TEST_SETTINGS ?? "{}");

export default definePlatform({ id: "chaos", settings, agents: [talker], teams: [desk] });
