/** A platform whose tool call needs an approval; each call appends a line to the file in `TEST_CALLS`. */
import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { defineAgent, definePlatform, defineTeam, defineTool } from "troupe";
import { scriptedModel } from "troupe/testing";
import { z } from "zod";

// A server does not outlive the test that started it.
process.on("disconnect", () => process.exit(1));

const words = Array.from({ length: 40 }, (_, place) => `${place} `);

const pay = defineTool({
  name: "pay",
  description: "Pays.",
  input: z.object({ amount: z.number() }),
  approval: "required",
  idempotent: true,
  async execute({ amount }, { idempotencyKey, signal }) {
    appendFileSync(process.env.TEST_CALLS ?? "", `${idempotencyKey}\n`);
    await sleep(700, undefined, { signal });
    return `paid ${amount}`;
  },
});

const cashier = defineAgent({
  id: "cashier",
  model: scriptedModel(({ results }) =>
    results.length > 0 ? { text: words, delay: 20 } : { toolCalls: [{ name: "pay", input: { amount: 5 } }] },
  ),
  tools: [pay],
});

const desk = defineTeam({
  id: "desk",
  model: scriptedModel(({ results, message }) =>
    results.length > 0
      ? { text: words, delay: 20 }
      : { toolCalls: [{ name: "delegate_task_to_member", input: { member_id: "cashier", task: message } }] },
  ),
  members: [cashier],
});

export default definePlatform({
  id: "pausing",
  settings: JSON.parse(process.env.TEST_SETTINGS ?? "{}"),
  agents: [cashier],
  teams: [desk],
});
