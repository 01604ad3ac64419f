/** A server with a chat channel, on a database. */
import { z } from "zod";
import { type SlackOptions, slack, type TelegramOptions, telegram } from "../../../src/channels.ts";
import { createServer, defineAgent, definePlatform, defineTool, type PlatformOptions } from "../../../src/index.ts";
import { type ScriptedCall, type ScriptedTurn, scriptedModel } from "../../../src/testing/index.ts";
import type { TestDatabase } from "../../support/databases.ts";
import { silentLog } from "../../support/runtime.ts";
import { pay, sendLetter } from "../../support/waiting-tools.ts";
import { secretToken, signingSecret } from "./requests.ts";

/** Words of a slow answer, 60 ms apart. */
export const slowWords: readonly string[] = Array.from({ length: 40 }, (_, place) => `word${place} `);

function answer({ message, results, prompt }: ScriptedCall): ScriptedTurn | string {
  const [result] = results;
  if (result) return `The tool said ${result.text}`;
  if (message.includes("letter")) return { toolCalls: [{ name: "send_letter", input: { to: "Ada" } }] };
  if (message.includes("pay")) return { toolCalls: [{ name: "pay", input: { to: "Ada" } }] };
  if (message.includes("room")) return { toolCalls: [{ name: "book", input: { city: "Rome" } }] };
  if (message.includes("explode")) return { error: { message: "the model exploded", status: 400 } };
  if (message.includes("long")) return "0123456789 ".repeat(900).trim();
  if (message.includes("slow")) return { text: [...slowWords], delay: 60 };
  if (message.includes("history")) return `${prompt.filter(({ role }) => role === "user").length} messages`;
  const files = prompt.at(-1)?.content;
  const count = Array.isArray(files) ? files.filter((part) => part.type === "file").length : 0;
  return count > 0 ? `You sent ${count} files` : `You said: ${message}`;
}

const book = defineTool({
  name: "book",
  description: "Books a room.",
  input: z.object({ city: z.string(), guests: z.number().int() }),
  userInput: ["guests"],
  execute: ({ city, guests }) => `booked for ${guests} in ${city}`,
});

/** A picture of one pixel. */
export const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** A model that also makes a picture when it is asked to draw. */
function painter() {
  const model = scriptedModel(answer);
  return {
    ...model,
    async doStream(call: Parameters<typeof model.doStream>[0]) {
      const { stream } = await model.doStream(call);
      if (!JSON.stringify(call.prompt.at(-1)).includes("draw")) return { stream };
      const picture = { type: "file", mediaType: "image/png", data: { type: "data", data: pixel } } as const;
      const parts: TransformStream = new TransformStream({
        transform(part, controller) {
          if (part.type === "finish") controller.enqueue(picture);
          controller.enqueue(part);
        },
      });
      return { stream: stream.pipeThrough(parts) as typeof stream };
    },
  };
}

/** The options of a channel that tests set. */
type Some<Options> = Partial<Options> & { readonly apiUrl: string };

/** A server that listens. It closes with the block that uses it. */
export async function openApp(
  database: TestDatabase,
  channels: { readonly slack?: Some<SlackOptions>; readonly telegram?: Some<TelegramOptions> },
  more: Partial<PlatformOptions> = {},
): Promise<{ origin: string; close: () => Promise<void> } & AsyncDisposable> {
  const clerk = defineAgent({
    id: "clerk",
    name: "Clerk",
    model: painter(),
    tools: [sendLetter, pay, book],
    history: { runs: 5 },
  });
  const component = "agent:clerk";
  const interfaces = [
    ...(channels.slack ? [slack({ component, botToken: "xoxb-test", signingSecret, ...channels.slack })] : []),
    ...(channels.telegram ? [telegram({ component, botToken: "42:test", secretToken, ...channels.telegram })] : []),
  ];
  const place = database.kind === "sqlite" ? { dataDir: database.dataDir } : { database: database.url };
  const options = { ...place, port: 0, interfaces, log: silentLog, environment: {} };
  const server = await createServer(definePlatform({ id: "test", agents: [clerk], ...more }), options);
  const origin = await server.listen();
  const close = (): Promise<void> => server.close({ shutdownTimeout: 0 });
  return { origin, close, [Symbol.asyncDispose]: close };
}
