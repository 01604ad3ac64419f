/** The platform that tests of the OpenAI-compatible interface host, and the stock client. */
import OpenAI from "openai";
import { z } from "zod";
import type { PlatformOptions } from "../../../src/define/platform.ts";
import { defineAgent, defineTeam, defineTool, defineWorkflow, step } from "../../../src/index.ts";
import { type ScriptedCall, type ScriptedTurn, scriptedModel } from "../../../src/testing/index.ts";
import type { TestDatabase } from "../../support/databases.ts";
import { type OpenServer, openServer } from "../../support/open-server.ts";

function answer({ message, results, prompt }: ScriptedCall): ScriptedTurn | string {
  const [result] = results;
  if (result) return `The tool said ${result.text}`;
  if (message.includes("letter"))
    return { text: ["One ", "moment."], toolCalls: [{ name: "send_letter", input: { to: "Ada" } }] };
  if (message.includes("measure")) return { toolCalls: [{ name: "measure", input: { room: "hall" } }] };
  if (message.includes("address")) return { toolCalls: [{ name: "book", input: { city: "Rome" } }] };
  if (message.includes("look up"))
    return { text: ["Let me see."], toolCalls: [{ name: "look_up", input: { word: "a\u2028b" } }] };
  if (message.includes("think")) return { reasoning: ["Hm", "m."], text: ["I ", "thought."] };
  if (message.includes("half"))
    return { text: ["So ", "far"], error: { message: "secret", status: 400, afterDeltas: 2 } };
  if (message.includes("endless")) return { text: Array.from({ length: 10_000 }, () => "on "), delay: 20 };
  if (message.includes("prompt")) return JSON.stringify(prompt);
  return { text: ["You ", "said: ", message] };
}

const sendLetter = defineTool({
  name: "send_letter",
  description: "Sends a letter.",
  input: z.object({ to: z.string() }),
  confirm: true,
  execute: ({ to }) => `sent to ${to}`,
});

const measure = defineTool({
  name: "measure",
  description: "Measures a room.",
  input: z.object({ room: z.string() }),
  external: true,
});

const book = defineTool({
  name: "book",
  description: "Books a room.",
  input: z.object({ city: z.string(), street: z.string(), number: z.number() }),
  userInput: ["street", "number"],
  execute: ({ city, street, number }) => `booked ${street} ${number} in ${city}`,
});

const lookUp = defineTool({
  name: "look_up",
  description: "Looks a word up.",
  input: z.object({ word: z.string() }),
  execute: ({ word }) => `${word} is a word`,
});

/** Returns the platform's options with the given changes. */
export function shop(more: Partial<PlatformOptions> = {}): Omit<PlatformOptions, "id"> {
  const clerk = defineAgent({
    id: "clerk",
    name: "Clerk",
    model: scriptedModel(answer),
    instructions: "Be kind.",
    tools: [sendLetter, measure, book, lookUp],
    history: { runs: 5 },
  });
  const counter = defineAgent({
    id: "counter",
    name: "Counter",
    model: scriptedModel(() => '{"letters":3}'),
    output: z.object({ letters: z.number() }),
  });
  const office = defineTeam({
    id: "office",
    name: "Office",
    mode: "route",
    model: scriptedModel(delegate),
    members: [clerk],
  });
  const round = defineWorkflow({
    id: "round",
    name: "Round",
    steps: [
      step({ name: "answer", agent: clerk }),
      step({ name: "book it", confirm: "Book?", run: ({ output }) => `Booked. ${output("answer")}` }),
    ],
  });
  return { agents: [clerk, counter], teams: [office], workflows: [round], ...more };
}

function delegate({ message }: ScriptedCall): ScriptedTurn {
  return { toolCalls: [{ name: "delegate_task_to_member", input: { member_id: "clerk", task: message } }] };
}

/** A server with the shop, and stock clients of it. */
export interface ShopServer extends OpenServer {
  readonly openai: OpenAI;
  /** A client with a token. */
  as(token: string): OpenAI;
}

export async function openShop(database: TestDatabase, more?: Partial<PlatformOptions>): Promise<ShopServer> {
  const server = await openServer(database, shop(more));
  const { origin } = server.client.address;
  const as = (apiKey: string): OpenAI => new OpenAI({ baseURL: `${origin}/v1`, apiKey, maxRetries: 0 });
  return { ...server, openai: as("none"), as };
}
