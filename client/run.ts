/** A run that a client follows: it reads the run log from a cursor, over as many connections as needed. */
import type { ComponentKind, WireRunStatus } from "../src/model/run/run.ts";
import type { ConnectionState } from "./connection.ts";
import { GapError, RequestError, runThatContinues } from "./errors.ts";
import type { EndingEvent, RunEvent } from "./events.ts";
import { framesOf } from "./frames.ts";
import { type Answers, answerFields, endingPrefixes } from "./kinds.ts";
import type { RunRecord } from "./records.ts";
import type { Requests } from "./requests.ts";

/** Options for following a run. */
export interface FollowOptions {
  /** Index of the last event that the caller already has; the first event delivered is the next one. Default: -1, all events. */
  readonly cursor?: number;
  /** Session of the run. Callers without the admin scope must specify it (docs/authorization.md). */
  readonly sessionId?: string;
  /** Whether to keep following through pauses, for a run that another caller continues. Default: false, a pause ends the loop. */
  readonly acrossPauses?: boolean;
  /** Whether to follow with the right to read runs, for a caller who may not start and continue them. Default: false. */
  readonly readOnly?: boolean;
  /** Called when the state of the connection changes, for a display of it. */
  readonly onConnection?: (connection: ConnectionState) => void;
  /** Stops following; the run continues. */
  readonly signal?: AbortSignal;
}

/** Options for a new run that continues from an earlier one (docs/pausing.md). One of the first four is required. */
export interface SuccessorOptions {
  /** Repeats the answer, from the last user message on. With `input`, that message is replaced. */
  readonly regenerate?: boolean;
  /** A message that is added after the messages of the run. */
  readonly input?: string;
  /** Creates the run in a new session, with copies of the runs before this one. */
  readonly fork?: boolean;
  /** The message to continue from: `last_user`, or the number of messages to keep (of a checkpoint). Default: `end`, all messages. */
  readonly continueFrom?: "end" | "last_user" | number;
  /** Whether the new run replaces the earlier one in the session's history. Default: true, for a fork false. */
  readonly replaceOriginal?: boolean;
  /** Added to the instructions of the definition, for the new run only. */
  readonly additionalInstructions?: string;
  /** Called when the state of the connection changes. */
  readonly onConnection?: (connection: ConnectionState) => void;
  /** Stops following; the run continues. */
  readonly signal?: AbortSignal;
}

/** The result of a run that ended or paused. */
export type RunResult<Content = unknown> = Completed<Content> | NotCompleted;

interface Completed<Content> {
  readonly status: Extract<WireRunStatus, "COMPLETED">;
  /** The complete answer. */
  readonly content: Content;
  readonly event: EndingEvent;
}

interface NotCompleted {
  readonly status: Extract<WireRunStatus, "PAUSED" | "CANCELLED" | "ERROR">;
  /** The partial answer, if any; for a failed run, the error message. */
  readonly content: unknown;
  readonly event: EndingEvent;
}

/** Input of the constructor of `Run`. */
export interface RunParts<Kind extends ComponentKind> {
  readonly requests: Requests;
  readonly kind: Kind;
  /** Path of the run's component. */
  readonly path: string;
  readonly runId: string;
  readonly options: FollowOptions;
  /** The response of the start request, if it is already the stream of events. */
  readonly answer?: Response | undefined;
}

const statuses = { Completed: "COMPLETED", Paused: "PAUSED", Cancelled: "CANCELLED", Error: "ERROR" } as const;

/**
 * A run. Iterating over it yields its events in order, each once, starting after the cursor. Lost connections are re-established. Leaving
 * the loop does not affect the run: a second loop resumes where the first one stopped.
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

  /** Index of the last event that a loop received; -1 for none. Another process can store it and resume from it. */
  get cursor(): number {
    return this.#cursor;
  }

  /** Session of the run. If the options do not specify the session, it is known after the first event. */
  get sessionId(): string | undefined {
    return this.#sessionId;
  }

  /**
   * Yields the events of the run.
   *
   * @throws RequestError when the server rejects the request, does not find the run, or is unavailable for too long
   * @throws GapError when events after the cursor are no longer stored
   * @throws the signal's reason when it aborts
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<RunEvent, void> {
    const { requests, options } = this.#parts;
    const waits = requests.waits();
    while (this.#result === undefined) {
      if (!this.#answer) this.#report("connecting");
      const answer = this.#answer ?? (await requests.send(this.#resume(), waits));
      this.#answer = undefined;
      this.#report("open");
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
      if (this.#result !== undefined) return;
      this.#report("lost");
      await waits.after(lost(failure), options.signal);
    }
  }

  /** Reads all events up to the end of the run or a pause, and returns the result. @throws the same errors as iterating */
  async result(): Promise<RunResult<Content>> {
    for await (const _ of this);
    // The loop ends with a result or throws.
    return this.#result as RunResult<Content>;
  }

  /** Requests cancellation. The run ends with `RunCancelled`, unless it has already ended. */
  async cancel(): Promise<void> {
    await this.#ask("POST", `/cancel${this.#query}`);
  }

  /**
   * Puts a user message into the live run of an agent or a team: the model reads it before its next turn, also if it has just given its answer. With the
   * mode `interrupt` the current model request is stopped, and its text so far is kept. A retried request adds the message once.
   * @returns the id of the message, as in its event `RunMessage`
   * @throws RequestError with the status 409 if the run is over
   */
  async send(message: string, options: { readonly mode?: "queue" | "interrupt" } = {}): Promise<string> {
    const { requests, options: own } = this.#parts;
    const { mode = "queue" } = options;
    const answer = await requests.json({
      method: "POST",
      path: `${this.#path}/messages`,
      headers: { "idempotency-key": newKey() },
      body: new URLSearchParams({ message, mode, ...this.#session }),
      signal: own.signal,
    });
    return (answer as { readonly message_id: string }).message_id;
  }

  /** Returns the current record of the run, including its partial output. */
  async record(): Promise<RunRecord> {
    return (await this.#ask("GET", this.#query)) as RunRecord;
  }

  /** Continues a paused run with answers; iterating then resumes after the pause. A retried request continues the run only once. */
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
    // If the response is not a stream, the loop resumes the run.
    this.#answer = answer instanceof Response ? answer : undefined;
    this.#result = undefined;
    return this;
  }

  /**
   * Starts a new run that continues from this finished run of an agent or a team: another try, a further input, or a fork. A retried
   * request starts only one run. @throws RequestError with the status 409 while this run is in progress
   */
  async startSuccessor(options: SuccessorOptions): Promise<Run<Kind, Content>> {
    const { onConnection, signal } = options;
    const { requests } = this.#parts;
    const fields: Readonly<Record<string, string | number | boolean | undefined>> = {
      regenerate: options.regenerate,
      input: options.input,
      fork: options.fork,
      continue_from: options.continueFrom,
      replace_original: options.replaceOriginal,
      additional_instructions: options.additionalInstructions,
      ...this.#session,
    };
    const given = Object.entries(fields).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)] as const],
    );
    const answer = await requests
      .send({
        method: "POST",
        path: `${this.#path}/continue`,
        headers: { "idempotency-key": newKey() },
        body: new URLSearchParams(Object.fromEntries(given)),
        signal,
      })
      .catch(runThatContinues);
    const follow: FollowOptions = { ...(onConnection && { onConnection }), ...(signal && { signal }) };
    if (!(answer instanceof Response)) {
      const { runId, sessionId } = answer;
      return new Run({ ...this.#parts, runId, options: { ...follow, sessionId }, answer: undefined });
    }
    const runId = answer.headers.get("x-run-id");
    if (runId === null) {
      await answer.body?.cancel();
      throw new RequestError("The answer has no header x-run-id.", { status: answer.status });
    }
    // A fork has a new session, which its first event names.
    const session = options.fork ? {} : this.#sessionId === undefined ? {} : { sessionId: this.#sessionId };
    return new Run({ ...this.#parts, runId, options: { ...follow, ...session }, answer });
  }

  /** Returns the event of a frame; undefined for a frame that is not an event or was already delivered. */
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
    // The record of a paused workflow has an index, but is not an event.
    return told.event === undefined ? undefined : told;
  }

  /** Handles a frame about the stream itself. @throws GapError or RequestError */
  #hear(name: string | undefined, data: string): void {
    if (name === "catch_up" || name === "replay") {
      const { missed_events, total_events } = JSON.parse(data) as { missed_events?: number; total_events?: number };
      this.#report("open", missed_events ?? total_events);
    }
    if (name !== "gap" && name !== "error") return;
    const told = JSON.parse(data) as { first_available_index: number; error: string; error_code?: string };
    if (name === "gap") throw new GapError(this.#cursor, told.first_available_index);
    const { error, error_code: code = "NOT_FOUND" } = told;
    throw new RequestError(error, { status: code === "NOT_FOUND" ? 404 : 500, code });
  }

  #report(state: ConnectionState["state"], missed?: number): void {
    this.#parts.options.onConnection?.({ state, cursor: this.#cursor, ...(missed === undefined ? {} : { missed }) });
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
    const { acrossPauses, readOnly, signal } = this.#parts.options;
    const fields = {
      last_event_index: String(this.#cursor),
      ...this.#session,
      ...(acrossPauses && { follow: "true" }),
    };
    if (readOnly) return { method: "GET", path: `${this.#path}/events?${new URLSearchParams(fields)}`, signal };
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

/** Returns a random idempotency key, by which the server recognizes a repeated request. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function lost(cause: unknown): RequestError {
  return new RequestError("The stream ended before the run, and could not be resumed.", { cause });
}
