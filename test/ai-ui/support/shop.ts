/** The platform that the tests of AI SDK UI host. */
import { z } from "zod";
import type { PlatformOptions } from "../../../src/define/platform.ts";
import { defineAgent, defineTeam, defineTool, defineWorkflow, step } from "../../../src/index.ts";
import { type ScriptedCall, type ScriptedTurn, scriptedModel } from "../../../src/testing/index.ts";

/** Words of a slow answer, which are streamed 40 ms apart. */
export const slowWords: readonly string[] = Array.from({ length: 12 }, (_, place) => `word${place} `);

const tools = [
  defineTool({
    name: "look_up",
    description: "Looks a price up.",
    input: z.object({ item: z.string() }),
    execute: ({ item }) => {
      if (item === "nothing") throw new Error("no such item");
      return { item, price: 3 };
    },
  }),
  defineTool({
    name: "order",
    description: "Orders an item.",
    input: z.object({ item: z.string() }),
    confirm: true,
    execute: ({ item }) => `ordered ${item}`,
  }),
  defineTool({
    name: "locate",
    description: "Returns the place of the customer.",
    input: z.object({ precise: z.boolean() }),
    external: true,
  }),
  defineTool({
    name: "deliver",
    description: "Delivers to an address.",
    input: z.object({ item: z.string(), address: z.string() }),
    userInput: ["address"],
    execute: ({ item, address }) => `delivered ${item} to ${address}`,
  }),
  defineTool({
    name: "close_shop",
    description: "Closes the shop.",
    input: z.object({}),
    stopAfterCall: true,
    execute: () => "closed",
  }),
];

const calls: Readonly<Record<string, readonly { name: string; input: unknown }[]>> = {
  price: [{ name: "look_up", input: { item: "tea" } }],
  missing: [{ name: "look_up", input: { item: "nothing" } }],
  both: [
    { name: "look_up", input: { item: "tea" } },
    { name: "order", input: { item: "tea" } },
  ],
  order: [{ name: "order", input: { item: "tea" } }],
  where: [{ name: "locate", input: { precise: true } }],
  deliver: [{ name: "deliver", input: { item: "tea" } }],
  close: [{ name: "close_shop", input: {} }],
};

function sell({ message, results }: ScriptedCall): ScriptedTurn | string {
  if (message.includes("twice") && results.length === 1)
    return { text: "Once more.", toolCalls: [{ name: "order", input: { item: "milk" } }] };
  if (results.length > 0) return `It said: ${results.map(({ text }) => text).join(", ")}`;
  if (message.includes("explode"))
    return { text: ["So ", "far"], error: { message: "secret", status: 400, afterDeltas: 2 } };
  if (message.includes("endless")) return { text: Array.from({ length: 10_000 }, () => "on "), delay: 20 };
  if (message.includes("slow")) return { text: [...slowWords], delay: 40 };
  const wanted = Object.entries(calls).find(([word]) => message.includes(word))?.[1];
  if (wanted) return { reasoning: "Which tool?", text: "One moment.", toolCalls: [...wanted] };
  return { reasoning: "Be polite.", text: `You said: ${message}` };
}

function lead({ message, results }: ScriptedCall): ScriptedTurn | string {
  if (results.length > 0) return `The seller answered: ${results[0]?.text}`;
  return { toolCalls: [{ name: "delegate_task_to_member", input: { member_id: "seller", task: message } }] };
}

/** Returns the platform's options with the given changes. */
export function shop(more: Partial<PlatformOptions> = {}): Omit<PlatformOptions, "id"> {
  const seller = defineAgent({ id: "seller", name: "Seller", model: scriptedModel(sell), tools });
  const counter = defineAgent({
    id: "counter",
    name: "Counter",
    model: scriptedModel(() => '{"letters":3}'),
    output: z.object({ letters: z.number() }),
  });
  const store = defineTeam({
    id: "store",
    name: "Store",
    mode: "coordinate",
    model: scriptedModel(lead),
    members: [seller],
  });
  const sale = defineWorkflow({
    id: "sale",
    name: "Sale",
    steps: [
      step({ name: "offer", agent: seller }),
      step({ name: "sign", confirm: "Sign the sale?", run: ({ previous }) => `Signed: ${previous}` }),
    ],
  });
  const errand = defineWorkflow({ id: "errand", name: "Errand", steps: [step({ name: "go", agent: seller })] });
  return { agents: [seller, counter], teams: [store], workflows: [sale, errand], ...more };
}
