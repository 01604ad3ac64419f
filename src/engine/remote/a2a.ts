/**
 * Another server that offers an agent by A2A, of either version, over JSON-RPC. A task there is told as events of a run here: what it makes is the
 * answer. A stream that breaks is not begun again, the task is asked for until it is over.
 */
import type { Remote } from "../../define/remote.ts";
import { type Endpoint, endpointIn, type RemoteTask, taskIn, toMessage } from "./a2a-words.ts";
import { type Answer, send, textOf } from "./agent-os.ts";
import { readFrames } from "./sse.ts";
import type { Upstream, UpstreamCall, UpstreamEvent, UpstreamParts, UpstreamRun, UpstreamStart } from "./upstream.ts";
import { UpstreamGone, UpstreamRefusal } from "./upstream-errors.ts";

const cardName = "/.well-known/agent-card.json";

/** Milliseconds between two questions for a task whose stream broke, at first and at most. */
const leastPause = 500;
const longestPause = 10_000;
/** Questions in a row without an answer after which the server is taken for gone. */
const mostTries = 8;

const methods = {
  "0.3": { stream: "message/stream", send: "message/send", get: "tasks/get", cancel: "tasks/cancel" },
  "1.0": { stream: "SendStreamingMessage", send: "SendMessage", get: "GetTask", cancel: "CancelTask" },
} as const;

/** JSON-RPC errors as statuses of HTTP: what the caller can mend stays the caller's. */
const statuses: ReadonlyMap<unknown, number> = new Map([
  [-32602, 422],
  [-32001, 404],
  [-32004, 409],
  [-32005, 422],
]);

/** The server behind an agent that speaks A2A. */
export function a2aUpstream(remote: Remote, parts: UpstreamParts): Upstream {
  const { clock } = parts.runtime;

  async function card(call: UpstreamCall): Promise<Readonly<Record<string, unknown>>> {
    const path = remote.target.url.endsWith(".json") ? "" : cardName;
    const asked = { method: "GET", path, headers: { accept: "application/json", "a2a-version": "1.0" } } as const;
    const shown: unknown = JSON.parse(await textOf(await send(remote, parts, asked, call)));
    if (typeof shown === "object" && shown !== null) return shown as Record<string, unknown>;
    throw new UpstreamRefusal(422, "its card is no object");
  }

  async function ask(endpoint: Endpoint, method: string, params: object, call: UpstreamCall): Promise<Answer> {
    const headers = {
      "content-type": "application/json",
      accept: "text/event-stream, application/json",
      "a2a-version": endpoint.version,
    };
    const json = JSON.stringify({ jsonrpc: "2.0", id: "1", method, params });
    return await send(remote, parts, { method: "POST", path: "", url: endpoint.url, json, headers }, call);
  }

  async function result(endpoint: Endpoint, method: string, params: object, call: UpstreamCall): Promise<unknown> {
    return resultIn(await textOf(await ask(endpoint, method, params, call)));
  }

  /** Asks for a task until it is over, or waits for somebody. */
  async function settled(endpoint: Endpoint, id: string, call: UpstreamCall): Promise<RemoteTask> {
    let [tries, pause] = [0, leastPause];
    for (;;) {
      try {
        const task = taskIn(await result(endpoint, methods[endpoint.version].get, { id }, call));
        tries = 0;
        if (task?.ending) return task;
      } catch (error) {
        if (call.signal.aborted || error instanceof UpstreamRefusal || ++tries >= mostTries) throw error;
      }
      await clock.sleep(pause, call.signal);
      call.signal.throwIfAborted();
      pause = Math.min(pause * 2, longestPause);
    }
  }

  async function* told(endpoint: Endpoint, answer: Answer, call: UpstreamCall): AsyncGenerator<UpstreamEvent, void> {
    const telling = new TaskEvents(clock.now());
    try {
      for await (const item of itemsIn(answer)) yield* telling.take(item);
    } catch (error) {
      if (call.signal.aborted || error instanceof UpstreamRefusal || telling.taskId === undefined) throw error;
    }
    if (telling.isOver) return;
    if (telling.taskId === undefined) throw new UpstreamGone("its stream ended before it told of a task");
    yield* telling.end(await settled(endpoint, telling.taskId, call));
  }

  async function* afterwards(endpoint: Endpoint, run: UpstreamRun, call: UpstreamCall): AsyncGenerator<UpstreamEvent> {
    const telling = new TaskEvents(clock.now(), run);
    yield* telling.end(await settled(endpoint, run.runId, call));
  }

  const endpoint = async (call: UpstreamCall): Promise<Endpoint> => endpointIn(await card(call), remote.target.url);

  return {
    async start(start: UpstreamStart, call) {
      const there = await endpoint(call);
      const { stream, send: wait } = methods[there.version];
      const answer = await ask(there, there.streams ? stream : wait, toMessage(start, there.version), call);
      // A refusal comes instead of a stream, and before the run is accepted here.
      if (answer.response.headers.get("content-type")?.startsWith("text/event-stream"))
        return told(there, answer, call);
      const whole = resultIn(await textOf(answer));
      return once(new TaskEvents(clock.now()), whole, there, call);
    },
    resume: async (run, _cursor, call) => afterwards(await endpoint(call), run, call),
    async cancel({ runId }, call) {
      const there = await endpoint(call);
      await result(there, methods[there.version].cancel, { id: runId }, call);
    },
    async describe(call) {
      const { name, description } = await card(call);
      return { id: remote.id, name, description };
    },
  };

  async function* once(
    telling: TaskEvents,
    whole: unknown,
    there: Endpoint,
    call: UpstreamCall,
  ): AsyncGenerator<UpstreamEvent> {
    yield* telling.take(whole);
    if (telling.isOver) return;
    if (telling.taskId === undefined) throw new UpstreamRefusal(422, "it answered with no task");
    yield* telling.end(await settled(there, telling.taskId, call));
  }
}

/** The results in a stream. */
async function* itemsIn({ response, touch, stop }: Answer): AsyncGenerator<unknown, void> {
  try {
    for await (const { data } of readFrames((response.body ?? []) as AsyncIterable<Uint8Array>, touch))
      yield resultIn(data);
  } finally {
    stop();
  }
}

/** @throws UpstreamRefusal for an error, and for what is no answer of JSON-RPC */
function resultIn(text: string): unknown {
  let answer: { readonly result?: unknown; readonly error?: { readonly code?: unknown; readonly message?: unknown } };
  try {
    answer = Object(JSON.parse(text));
  } catch {
    throw new UpstreamRefusal(422, "it sent an answer that is no JSON");
  }
  const { error, result } = answer;
  if (!error) return result;
  const words =
    typeof error.message === "string" ? error.message.slice(0, 1_000).toWellFormed() : "it refused the call";
  throw new UpstreamRefusal(statuses.get(error.code) ?? 502, words);
}

const endings = {
  completed: "RunCompleted",
  failed: "RunError",
  canceled: "RunCancelled",
  paused: "RunPaused",
} as const;

/** A task there as events of a run here. */
class TaskEvents {
  readonly #second: number;
  #run: UpstreamRun | undefined;
  /** Texts of artifacts, by their ids: the answer. */
  readonly #texts = new Map<string, string>();
  isOver = false;

  constructor(now: number, run?: UpstreamRun) {
    this.#second = Math.floor(now / 1000);
    this.#run = run;
  }

  get taskId(): string | undefined {
    return this.#run?.runId;
  }

  /** What an item of a stream, or an answer, tells. */
  *take(item: unknown): Generator<UpstreamEvent> {
    const task = taskIn(item);
    if (!task || this.isOver) return;
    if (!this.#run) {
      this.#run = { runId: task.id, sessionId: task.contextId };
      yield this.#event("RunStarted", {});
    }
    for (const { id, text, isMore } of task.pieces) {
      const before = this.#texts.get(id) ?? "";
      const now = isMore ? before + text : text;
      this.#texts.set(id, now);
      // What takes the place of what was said before cannot be unsaid: the answer at the end is right.
      const added = now.startsWith(before) ? now.slice(before.length) : "";
      if (added !== "") yield this.#event("RunContent", { content: added, content_type: "str" });
    }
    if (task.ending) yield* this.#end(task);
  }

  /** The end that was asked for, after the stream broke. */
  *end(task: RemoteTask): Generator<UpstreamEvent> {
    for (const { id, text } of task.pieces) this.#texts.set(id, text);
    yield* this.#end(task);
  }

  *#end({ ending, said }: RemoteTask): Generator<UpstreamEvent> {
    if (!ending) return;
    this.isOver = true;
    const answer = [...this.#texts.values()].filter((text) => text !== "").join("\n");
    const content = ending === "completed" ? answer || said : said;
    yield this.#event(endings[ending], { content, content_type: "str" });
  }

  #event(event: string, fields: object): UpstreamEvent {
    const { runId, sessionId } = this.#run as UpstreamRun;
    const data = { created_at: this.#second, event, run_id: runId, session_id: sessionId, ...fields };
    return { data: JSON.stringify(data), index: undefined };
  }
}
