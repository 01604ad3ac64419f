/** The platform that tests of the standard endpoints host, and a receiver of push notifications. */
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { z } from "zod";
import type { PlatformOptions } from "../../../src/define/platform.ts";
import { defineAgent, defineTeam, defineWorkflow, step } from "../../../src/index.ts";
import type { A2aOptions } from "../../../src/model/a2a.ts";
import { type ScriptedCall, type ScriptedTurn, scriptedModel } from "../../../src/testing/index.ts";
import { pay, sendLetter } from "../../support/waiting-tools.ts";

/** Words of a slow answer, which are streamed 40 ms apart. */
export const slowWords: readonly string[] = Array.from({ length: 12 }, (_, place) => `word${place} `);

/** The script of an agent whose payments require an approval. */
function teller({ message, results: [result] }: ScriptedCall): ScriptedTurn | string {
  if (result) return `The bank said ${result.text}`;
  const told = message.includes("tell") ? { text: ["One ", "moment. "] } : {};
  return { ...told, toolCalls: [{ name: "pay", input: { to: "Ada" } }] };
}

function answer({ message, results }: ScriptedCall): ScriptedTurn | string {
  const [result] = results;
  if (result && message.includes("slow")) return { text: ["The tool ", "said ", result.text], delay: 400 };
  if (result) return `The tool said ${result.text}`;
  if (message.includes("half"))
    return { text: ["So ", "far, "], error: { message: "secret", status: 400, afterDeltas: 2 } };
  if (message.includes("explode")) return { error: { message: "secret: the model exploded", status: 400 } };
  if (message.includes("approve")) return { toolCalls: [{ name: "send_letter", input: { to: "Ada" } }] };
  if (message.includes("endless")) return { text: Array.from({ length: 10_000 }, () => "on "), delay: 20 };
  if (message.includes("slow")) return { text: [...slowWords], delay: 40 };
  return `You said: ${message}`;
}

/** Returns the platform's options with the given changes. Its push notifications may go to local addresses. */
export function desk(a2a: A2aOptions = {}, more: Partial<PlatformOptions> = {}): Omit<PlatformOptions, "id"> {
  const clerk = defineAgent({
    id: "clerk",
    name: "Clerk",
    description: "Answers letters.",
    model: scriptedModel(answer),
    tools: [sendLetter],
    inputModes: ["text/plain", "application/json", "application/pdf", "image/*"],
  });
  const counter = defineAgent({
    id: "counter",
    name: "Counter",
    model: scriptedModel(() => '{"letters":3}'),
    output: z.object({ letters: z.number() }),
  });
  const bank = defineAgent({ id: "bank", name: "Bank", model: scriptedModel(teller), tools: [pay] });
  const vault = defineWorkflow({ id: "vault", name: "Vault", steps: [step({ name: "pay", agent: bank })] });
  const office = defineTeam({
    id: "office",
    name: "Office",
    model: scriptedModel(answer),
    members: [clerk],
    tools: [sendLetter],
  });
  const round = defineWorkflow({ id: "round", name: "Round", steps: [step({ name: "answer", agent: clerk })] });
  const pushNotifications = { allowHttp: true, allowPrivate: true };
  return {
    agents: [clerk, counter, bank],
    teams: [office],
    workflows: [round, vault],
    a2a: { pushNotifications, ...a2a },
    ...more,
    settings: { pushRetryInterval: 20, ...more.settings },
  };
}

/** A push notification as it arrived. */
export interface Arrival {
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read the notifications without types
  readonly body: any;
}

/**
 * Starts a local receiver of push notifications. `answer` returns the status of each response. The receiver closes at the end of the test; a
 * concurrent test must pass its own `onTestFinished`.
 */
export async function receiver(
  answer: (place: number) => number | Promise<number> = () => 200,
  atEnd: (end: () => void) => void = onTestFinished,
): Promise<{ url: string; got: Arrival[] }> {
  const got: Arrival[] = [];
  let place = 0;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const status = await answer(place++);
    if (status < 300) got.push({ headers: request.headers, text, body: JSON.parse(text) });
    response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/told`, got };
}
