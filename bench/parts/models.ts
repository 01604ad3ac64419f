/** Models without a provider: one emits as fast as it is read, one at a fixed pace, one nothing. */
import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { stamp } from "./time.ts";
import { Wheel } from "./wheel.ts";
import { pieces } from "./words.ts";

const usage = {
  inputTokens: { total: 20, noCache: 20, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 200, text: 200, reasoning: 0 },
};

const opening: readonly LanguageModelV4StreamPart[] = [
  { type: "stream-start", warnings: [] },
  { type: "text-start", id: "0" },
];

const closing: readonly LanguageModelV4StreamPart[] = [
  { type: "text-end", id: "0" },
  { type: "finish", finishReason: { unified: "stop", raw: "stop" }, usage },
];

function delta(text: string): LanguageModelV4StreamPart {
  return { type: "text-delta", id: "0", delta: text };
}

function model(
  modelId: string,
  stream: (options: LanguageModelV4CallOptions) => ReadableStream<LanguageModelV4StreamPart>,
): LanguageModelV4 {
  return {
    specificationVersion: "v4",
    provider: "bench",
    modelId,
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error("The bench streams.")),
    doStream: (options) => Promise.resolve({ stream: stream(options) }),
  };
}

/** The whole answer is available at once: deltas are emitted as fast as they are read. */
export function flooding(texts: readonly string[]): LanguageModelV4 {
  const parts = [...opening, ...texts.map(delta), ...closing];
  return model("flooding", () => {
    return new ReadableStream({
      start(controller) {
        for (const part of parts) controller.enqueue(part);
        controller.close();
      },
    });
  });
}

const wheel = new Wheel();

/**
 * Emits `perSecond` deltas a second, one at a time; with `stamped`, each contains its emit time. If the last message is a number, it emits only that
 * many deltas.
 */
export function paced(texts: readonly string[], perSecond: number, stamped = true): LanguageModelV4 {
  const period = 1000 / perSecond;
  return model("paced", ({ abortSignal: signal, prompt }) => {
    const count = numberIn(prompt) ?? texts.length;
    return new ReadableStream({
      start(controller) {
        for (const part of opening) controller.enqueue(part);
        const start = wheel.now + Math.random() * period;
        let place = 0;
        const next = (): void => {
          if (signal?.aborted) return;
          const text = place < count ? texts[place++] : undefined;
          if (text === undefined) {
            for (const part of closing) controller.enqueue(part);
            controller.close();
            return;
          }
          controller.enqueue(delta(stamped ? stamp() + text : text));
          wheel.at(start + place * period, next);
        };
        wheel.at(start, next);
      },
    });
  });
}

/** The number that the last message consists of, if it is one. */
function numberIn(prompt: LanguageModelV4CallOptions["prompt"]): number | undefined {
  const last = prompt.at(-1);
  const part = last?.role === "user" ? last.content[0] : undefined;
  return part?.type === "text" && /^\d+$/.test(part.text) ? Number(part.text) : undefined;
}

/** Begins, and emits nothing until it is stopped. */
export function silent(): LanguageModelV4 {
  return model("silent", ({ abortSignal: signal }) => {
    return new ReadableStream({
      start(controller) {
        for (const part of opening) controller.enqueue(part);
        signal?.addEventListener("abort", () => controller.error(signal.reason), { once: true });
      },
    });
  });
}

/** Memories that the extraction adds for each user; later ones change the latest. */
const maxMemories = 50;

/** Number of extractions so far. */
let extracted = 0;

export function extractions(): number {
  return extracted;
}

/** Extracts one memory from each run, at once. */
export function extracting(): LanguageModelV4 {
  return model("extracting", ({ prompt }) => {
    const [, user] = prompt;
    const part = user?.role === "user" ? user.content[0] : undefined;
    const known = part?.type === "text" ? (part.text.match(/"number":/g) ?? []).length : 0;
    const memory = `The user likes thing ${++extracted} more than ${pieces(5).join("")}.`;
    const change = known < maxMemories ? { action: "add", number: null } : { action: "update", number: known };
    const answer = JSON.stringify({ operations: [{ ...change, memory, topics: ["preferences"] }] });
    return new ReadableStream({
      start(controller) {
        for (const one of [...opening, delta(answer), ...closing]) controller.enqueue(one);
        controller.close();
      },
    });
  });
}

/** Reads a long page in each run and answers. Its usage is the size of the prompt: one token for four characters. */
export function conversing(): LanguageModelV4 {
  return model("conversing", ({ prompt }) => {
    const [first] = prompt;
    const system = first?.role === "system" ? first.content : "";
    const isSummary = system.startsWith("You keep the summary") || system.startsWith("Summarise");
    const reads = !isSummary && prompt.at(-1)?.role === "user";
    const call = { type: "tool-call", toolCallId: "read", toolName: "read_page", input: "{}" } as const;
    const parts: LanguageModelV4StreamPart[] = reads ? [call] : [delta(pieces(20).join(""))];
    const total = Math.ceil(JSON.stringify(prompt).length / 4);
    const finish: LanguageModelV4StreamPart = {
      type: "finish",
      finishReason: { unified: reads ? "tool-calls" : "stop", raw: undefined },
      usage: { ...usage, inputTokens: { total, noCache: total, cacheRead: 0, cacheWrite: 0 } },
    };
    return new ReadableStream({
      start(controller) {
        for (const one of [...opening, ...parts, { type: "text-end", id: "0" } as const, finish])
          controller.enqueue(one);
        controller.close();
      },
    });
  });
}
