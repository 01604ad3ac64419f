/** A model whose output the run's message specifies, at the pace of the simulated clock. */
import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { delegationTools } from "../../src/define/team.ts";
import { type Host, metered } from "./components.ts";
import type { Call, Script, Turn } from "./plan.ts";
import type { SimulatedProcess } from "./process.ts";
import { versionIn } from "./versions.ts";
import type { World } from "./world.ts";

type Part = { readonly part: LanguageModelV4StreamPart; readonly delay: number };

/** The owner of a model. The engine makes one turn of a broadcast leader before the leader's own turns. */
export type Role = "agent" | "former" | "broadcaster" | "broadcast-member";

/** Prompts of requests that were checked. */
const asked = new WeakSet<object>();

/** Returns the model of a component in its process. */
export function simulatedModel(host: Host, id: string, role: Role): LanguageModelV4 {
  return {
    specificationVersion: "v4",
    provider: "simulated",
    modelId: id,
    supportedUrls: {},
    doGenerate() {
      throw new Error("only streams are simulated");
    },
    async doStream(options) {
      options.abortSignal?.throwIfAborted();
      const { world, process } = host;
      const turn = turnOf(options, role);
      // A broadcast gives its message to the members.
      if (role !== "broadcast-member") checkVersion(options, world);
      // A retry belongs to its request: it has the same prompt.
      if (id === metered.id && !asked.has(options.prompt)) {
        asked.add(options.prompt);
        world.guarantees.requested(process.runtime, answersIn(options));
      }
      if (turn.fails === "retry" && world.random.chance(0.6))
        throw Object.assign(new Error("try again"), { isRetryable: true });
      const parts = partsOf(turn, role, world, process);
      return { stream: new SimulatedStream(parts, process, options.abortSignal) as unknown as ReadableStream };
    },
  };
}

function turnOf({ prompt }: LanguageModelV4CallOptions, role: Role): Turn {
  // The last user message may be the engine's request for a corrected answer.
  const place = prompt.findLastIndex((message) => textOf(message).startsWith('{"turns"'));
  const told = JSON.parse(textOf(prompt[place])) as Script;
  const script = role === "broadcast-member" ? (told.each ?? told) : told;
  const said = prompt.slice(place).filter((message) => message.role === "assistant").length;
  return script.turns[role === "broadcaster" ? said - 1 : said] ?? lastWord;
}

/** The instructions of a root run are those of the version that it began with. */
function checkVersion({ prompt }: LanguageModelV4CallOptions, { plan, guarantees }: World): void {
  const message = prompt.findLast((one) => textOf(one).startsWith('{"turns"'));
  const { start } = JSON.parse(textOf(message)) as Script;
  if (!plan.versions || start === undefined) return;
  const [system] = prompt;
  guarantees.instructed(start, versionIn(system?.role === "system" ? system.content : ""));
}

/** Model requests that the run has made before. */
function answersIn({ prompt }: LanguageModelV4CallOptions): number {
  const place = prompt.findLastIndex((message) => textOf(message).startsWith('{"turns"'));
  return prompt.slice(place).filter((message) => message.role === "assistant").length;
}

function textOf(message: LanguageModelV4CallOptions["prompt"][number] | undefined): string {
  if (message?.role !== "user") return "";
  return message.content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

const lastWord: Turn = { deltas: 1, size: 4, delay: 0, json: true };

function partsOf(turn: Turn, role: Role, world: World, process: SimulatedProcess): readonly Part[] {
  const parts: Part[] = [{ part: { type: "stream-start", warnings: [] }, delay: 0 }];
  const isJson = role === "former" && turn.json === true;
  const deltas = isJson ? 1 : turn.fails === "cut" ? turn.deltas >> 1 : turn.deltas;
  for (let n = turn.reasoning ?? 0; n > 0; n--) {
    parts.push({
      part: { type: "reasoning-delta", id: "r", delta: `${process.name} thinks ${n}. ` },
      delay: turn.delay,
    });
  }
  for (let n = 0; n < deltas; n++) {
    // Output differs at every call.
    const delta = isJson ? '{"n":1}' : `${process.name}/${world.nextWord()} “é\n”`.padEnd(turn.size, "x");
    parts.push({ part: { type: "text-delta", id: "t", delta }, delay: turn.delay });
  }
  if (turn.fails === "cut") return parts;
  for (const call of turn.calls ?? []) {
    const toolName = call.tool === "member" ? delegationTools.one : call.tool;
    const toolCallId = `call-${world.nextWord()}`;
    parts.push({ part: { type: "tool-call", toolCallId, toolName, input: JSON.stringify(inputOf(call)) }, delay: 0 });
  }
  const unified = turn.calls?.length ? "tool-calls" : "stop";
  const usage = {
    inputTokens: { total: 5, noCache: 5, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: deltas, text: deltas, reasoning: undefined },
  };
  parts.push({ part: { type: "finish", finishReason: { unified, raw: unified }, usage }, delay: 0 });
  return parts;
}

function inputOf({ tool, takes, member, task }: Call): unknown {
  return tool === "member" ? { member_id: member, task: JSON.stringify(task) } : { takes };
}

/** The used part of a `ReadableStream`: a real one costs as much as the rest of a history. */
const gone = new Error("the reader is gone");

class SimulatedStream {
  readonly #parts: readonly Part[];
  readonly #process: SimulatedProcess;
  readonly #signal: AbortSignal | undefined;
  readonly #gone = new AbortController();
  #next = 0;

  constructor(parts: readonly Part[], process: SimulatedProcess, signal: AbortSignal | undefined) {
    this.#parts = parts;
    this.#process = process;
    this.#signal = signal;
  }

  getReader(): this {
    return this;
  }

  async read(): Promise<{ done: boolean; value?: LanguageModelV4StreamPart }> {
    const next = this.#parts[this.#next++];
    if (!next || this.#gone.signal.aborted) return { done: true };
    if (next.delay > 0) await this.#process.runtime.clock.sleep(next.delay, this.#gone.signal);
    if (this.#gone.signal.aborted) return { done: true };
    if (this.#signal?.aborted) throw this.#signal.reason;
    return { done: false, value: next.part };
  }

  async cancel(): Promise<void> {
    this.#gone.abort(gone);
  }
}
