/** The interface of a protocol that executes runs on other servers. There is one implementation for each protocol. */
import type { Media } from "../../model/run/message.ts";
import type { RunOptions } from "../../model/run/record.ts";
import type { Runtime } from "../../model/runtime.ts";
import type { Settings } from "../../model/settings.ts";
import type { TraceContext } from "../../model/trace/propagation.ts";

/** An event of the run there, in the format of this server's interface. */
export interface UpstreamEvent {
  /** JSON text of one object. */
  readonly data: string;
  /** Its index in the log there; undefined if the server sends none, in which case the stream cannot be resumed. */
  readonly index: number | undefined;
  /** With a pause event: the question, if it can be answered from here. */
  readonly question?: UpstreamQuestion | undefined;
  /** With a final event: the run's media, if the event itself does not contain them. */
  readonly media?: readonly Media[] | undefined;
}

/** The question that the run there waits for. */
export interface UpstreamQuestion {
  /** The question's id; null if the server sends none. */
  readonly id: string | null;
  readonly text: string;
  /** The question's additional data, as the server sent it. */
  readonly data: readonly unknown[];
}

/** An answer to it. */
export interface UpstreamAnswer {
  readonly question: UpstreamQuestion;
  /** A text, or any other JSON. */
  readonly value: unknown;
  /** Idempotency key: the same for every attempt to send this answer. */
  readonly key: string;
}

/** The context of a call. */
export interface UpstreamCall {
  /** Sent as `Authorization: Bearer`. */
  readonly bearer: string | undefined;
  readonly signal: AbortSignal;
  /** The trace context that the call carries. */
  readonly trace?: TraceContext | undefined;
}

/** A start for the other server. */
export interface UpstreamStart {
  readonly message: string;
  readonly media: readonly Media[];
  readonly sessionId: string;
  readonly userId: string | null;
  readonly options: RunOptions;
  /** Idempotency key: the same for every attempt of this start. */
  readonly key: string;
}

/** A run there. */
export interface UpstreamRun {
  readonly runId: string;
  readonly sessionId: string;
}

/** The events of a run that the other server has accepted. */
export type UpstreamEvents = AsyncIterable<UpstreamEvent> & {
  /** The run's id, if the server sends it before the first event; the run can then be cancelled before that event. */
  readonly run?: UpstreamRun | undefined;
};

/** A server that executes a remote component. All of its methods reject with `UpstreamRefusal` or `UpstreamUnreachable`. */
export interface Upstream {
  /** Resolves when the run is accepted there, with its events. */
  start(start: UpstreamStart, call: UpstreamCall): Promise<UpstreamEvents>;
  /** Returns the events after `cursor`. @param emittedText returns the answer's text in the log here, for protocols without a cursor */
  resume(
    run: UpstreamRun,
    cursor: number,
    call: UpstreamCall,
    emittedText: () => Promise<string>,
  ): Promise<AsyncIterable<UpstreamEvent>>;
  /**
   * Answers the question of the run there if it is still open; resolves with the events from then on. Undefined for a protocol without answers.
   * @param emittedText as for `resume`
   */
  answer?(
    run: UpstreamRun,
    answer: UpstreamAnswer,
    call: UpstreamCall,
    emittedText: () => Promise<string>,
  ): Promise<AsyncIterable<UpstreamEvent>>;
  cancel(run: UpstreamRun, call: UpstreamCall): Promise<void>;
  /** Returns the component's description there. */
  describe(call: UpstreamCall): Promise<Readonly<Record<string, unknown>>>;
}

/** Dependencies of an `Upstream`. */
export interface UpstreamParts {
  readonly runtime: Runtime;
  readonly settings: Settings;
}
