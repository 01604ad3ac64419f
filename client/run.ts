/** A run that is followed: its log by a cursor, over as many connections as that takes. */
import type { ComponentKind, WireRunStatus } from "../src/model/run.ts";
import { GapError, RequestError, runThatContinues } from "./errors.ts";
import type { EndingEvent, RunEvent } from "./events.ts";
import { framesOf } from "./frames.ts";
import { type Answers, answerFields, endingPrefixes } from "./kinds.ts";
import type { RunRecord } from "./records.ts";
import type { Requests } from "./requests.ts";

/** Which run, and how it is followed. */
export interface FollowOptions {
  /** Index of the last event there is already; following goes on behind it. Default: -1, everything from the beginning. */
  readonly cursor?: number;
  /** The run's session. Callers without the admin scope must name it (docs/authorization.md). */
  readonly sessionId?: string;
  /** Waits across pauses, for a run that somebody else continues. Default: false, a pause ends the loop. */
  readonly acrossPauses?: boolean;
  /** Ends the following, not the run. */
  readonly signal?: AbortSignal;
}

/** How a run ended, or that it waits. */
export type RunResult<Content = unknown> = Completed<Content> | NotCompleted;

interface Completed<Content> {
  readonly status: Extract<WireRunStatus, "COMPLETED">;
  /** The whole answer. */
  readonly content: Content;
  readonly event: EndingEvent;
}

interface NotCompleted {
  readonly status: Extract<WireRunStatus, "PAUSED" | "CANCELLED" | "ERROR">;
  /** The partial answer, if any; of a failed run the reason. */
  readonly content: unknown;
  readonly event: EndingEvent;
}

/** What a run is followed with. */
export interface RunParts<Kind extends ComponentKind> {
  readonly requests: Requests;
  readonly kind: Kind;
  /** Path of its component. */
  readonly path: string;
  readonly runId: string;
  readonly options: FollowOptions;
  /** The answer that its stream comes with already. */
  readonly answer?: Response | undefined;
}

const statuses = { Completed: "COMPLETED", Paused: "PAUSED", Cancelled: "CANCELLED", Error: "ERROR" } as const;

/**
 * A run. Iterating gives its events in order, each once, from the cursor on; a connection that is lost is made again. Leaving the loop
 * leaves the run alone: a second loop goes on behind the first.
 *
 * @example
 * ```ts
 * const run = await createClient({ url: "http://127.0.0.1:7777" }).team("travel-desk").start("What is the weather in Paris?");
 * for await (const event of run) if (event.event === "TeamRunContent") console.log(event.content);
 * ```
 */
export class Run<Kind extends ComponentKind = ComponentKind, Content = unknown> implements AsyncIterable<RunEvent> {
  readonly id: string;
  readonly #parts: RunParts<Kind>;
  readonly #path: string;
  #answer: Response | undefined;
  #cursor: number;
  #sessionId: string | undefined;
  #result: RunResult | undefined;

  constructor(parts: RunParts<Kind>) {
    this.#parts = parts;
    this.id = parts.runId;
    this.#path = `${parts.path}/runs/${encodeURIComponent(parts.runId)}`;
    this.#answer = parts.answer;
    this.#cursor = parts.options.cursor ?? -1;
    this.#sessionId = parts.options.sessionId;
  }

  /** Index of the last event that was given to a loop; -1 for none. Kept, it lets another process go on. */
  get cursor(): number {
    return this.#cursor;
  }

  /** Known from the first event on, if it was not given. */
  get sessionId(): string | undefined {
    return this.#sessionId;
  }

  /** @throws RequestError when the run is refused, gone, or the server stayed away for too long; GapError; the signal's reason */
  async *[Symbol.asyncIterator](): AsyncGenerator<RunEvent, void> {
    const { requests, options } = this.#parts;
    const waits = requests.waits();
    while (this.#result === undefined) {
      const answer = this.#answer ?? (await requests.send(this.#resume(), waits));
      this.#answer = undefined;
      let failure: unknown;
      try {
        for await (const frame of framesOf(answer, requests.silence)) {
          const event = this.#take(frame);
          if (event) {
            waits.reset();
            yield event;
          }
        }
      } catch (error) {
        if (error instanceof GapError || error instanceof RequestError) throw error;
        failure = error;
      }
      if (this.#result === undefined) await waits.after(lost(failure), options.signal);
    }
  }

  /** Reads to the end, or to a pause. */
  async result(): Promise<RunResult<Content>> {
    for await (const _ of this);
    // The loop ends with a result, or throws.
    return this.#result as RunResult<Content>;
  }

  /** Asks for its end; it ends with `RunCancelled`, unless it ended otherwise before. */
  async cancel(): Promise<void> {
    await this.#ask("POST", `/cancel${this.#query}`);
  }

  /** Its record as it stands: with everything it has come to so far. */
  async record(): Promise<RunRecord> {
    return (await this.#ask("GET", this.#query)) as RunRecord;
  }

  /** Gives a paused run its answers; following it goes on behind the pause. Sent again, it is still one continue. */
  async continue(answers: readonly Answers[Kind][]): Promise<this> {
    const { requests, kind, options } = this.#parts;
    const fields = { [answerFields[kind]]: JSON.stringify(answers), ...this.#session };
    const answer = await requests
      .send({
        method: "POST",
        path: `${this.#path}/continue`,
        headers: { "idempotency-key": newKey() },
        body: new URLSearchParams(fields),
        signal: options.signal,
      })
      .catch(runThatContinues);
    // Without a stream the loop resumes it.
    this.#answer = answer instanceof Response ? answer : undefined;
    this.#result = undefined;
    return this;
  }

  /** The event of a frame that is one and has not been given yet. */
  #take({
    id,
    event,
    data,
  }: {
    id?: string | undefined;
    event?: string | undefined;
    data: string;
  }): RunEvent | undefined {
    if (id === undefined) {
      this.#hear(event, data);
      return undefined;
    }
    const index = Number(id);
    if (index <= this.#cursor) return undefined;
    const told = JSON.parse(data) as RunEvent;
    this.#cursor = index;
    this.#sessionId ??= told.session_id;
    this.#result = this.#resultOf(told) ?? this.#result;
    // The record of a paused workflow has an index, and is no event.
    return told.event === undefined ? undefined : told;
  }

  /** What the server says of the stream itself. */
  #hear(name: string | undefined, data: string): void {
    if (name !== "gap" && name !== "error") return;
    const told = JSON.parse(data) as { first_available_index: number; error: string; error_code?: string };
    if (name === "gap") throw new GapError(this.#cursor, told.first_available_index);
    const { error, error_code: code = "NOT_FOUND" } = told;
    throw new RequestError(error, { status: code === "NOT_FOUND" ? 404 : 500, code });
  }

  #resultOf(told: RunEvent): RunResult | undefined {
    const prefix = endingPrefixes[this.#parts.kind];
    if (told.run_id !== this.id || !told.event?.startsWith(prefix)) return undefined;
    const status = statuses[told.event.slice(prefix.length) as keyof typeof statuses];
    if (status === undefined || (status === "PAUSED" && this.#parts.options.acrossPauses)) return undefined;
    const event = told as EndingEvent;
    return {
      status,
      content: event.event === "WorkflowError" ? event.error : "content" in event ? event.content : undefined,
      event,
    };
  }

  #resume(): Parameters<Requests["send"]>[0] {
    const { acrossPauses, signal } = this.#parts.options;
    const fields = {
      last_event_index: String(this.#cursor),
      ...this.#session,
      ...(acrossPauses && { follow: "true" }),
    };
    return { method: "POST", path: `${this.#path}/resume`, body: new URLSearchParams(fields), signal };
  }

  get #session(): Readonly<Record<string, string>> {
    return this.#sessionId === undefined ? {} : { session_id: this.#sessionId };
  }

  get #query(): string {
    return this.#sessionId === undefined ? "" : `?${new URLSearchParams(this.#session)}`;
  }

  #ask(method: "GET" | "POST", rest: string): Promise<unknown> {
    return this.#parts.requests.json({ method, path: this.#path + rest, signal: this.#parts.options.signal });
  }
}

/** By which the server knows a request that it has heard already. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function lost(cause: unknown): RequestError {
  return new RequestError("The stream ended before the run, and could not be resumed.", { cause });
}
