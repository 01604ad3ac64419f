/** What a protocol must do to execute runs elsewhere. There is one implementation for each way of speaking to another server. */
import type { Media } from "../../model/message.ts";
import type { RunOptions } from "../../model/record.ts";
import type { Runtime } from "../../model/runtime.ts";
import type { Settings } from "../../model/settings.ts";

/** An event of the run there, as this interface has it. */
export interface UpstreamEvent {
  /** JSON text of one object. */
  readonly data: string;
  /** Its place in the log there; undefined where it is not told: then the stream cannot be gone on with. */
  readonly index: number | undefined;
  /** With the event of a pause: what is asked, where it can be answered from here. */
  readonly question?: UpstreamQuestion | undefined;
  /** With the event that ends a run: what it made, where the event itself does not say. */
  readonly media?: readonly Media[] | undefined;
}

/** What the run there waits for. */
export interface UpstreamQuestion {
  /** By which it is told from other questions, where the server tells. */
  readonly id: string | null;
  readonly text: string;
  /** What else there is to it, in the server's own words. */
  readonly data: readonly unknown[];
}

/** An answer to it. */
export interface UpstreamAnswer {
  readonly question: UpstreamQuestion;
  /** A text, or any other JSON. */
  readonly value: unknown;
  /** The same for every try of this answer. */
  readonly key: string;
}

/** How a call is made. */
export interface UpstreamCall {
  /** Sent as `Authorization: Bearer`. */
  readonly bearer: string | undefined;
  readonly signal: AbortSignal;
}

/** A start as it is handed on. */
export interface UpstreamStart {
  readonly message: string;
  readonly media: readonly Media[];
  readonly sessionId: string;
  readonly userId: string | null;
  readonly options: RunOptions;
  /** The same for every try of this start. */
  readonly key: string;
}

/** A run there. */
export interface UpstreamRun {
  readonly runId: string;
  readonly sessionId: string;
}

/** The events of a run that was accepted there. */
export type UpstreamEvents = AsyncIterable<UpstreamEvent> & {
  /** Which run it is, where that is told before its first event: then it can be cancelled before that, too. */
  readonly run?: UpstreamRun | undefined;
};

/** A server that executes a remote component. All of its methods reject with `UpstreamRefusal` or `UpstreamGone`. */
export interface Upstream {
  /** Resolves when the run is accepted there, with its events. */
  start(start: UpstreamStart, call: UpstreamCall): Promise<UpstreamEvents>;
  /** The events after `cursor`. @param told asks for the text of the answer that stands in the log here, where no cursor tells what was told */
  resume(
    run: UpstreamRun,
    cursor: number,
    call: UpstreamCall,
    told: () => Promise<string>,
  ): Promise<AsyncIterable<UpstreamEvent>>;
  /**
   * Answers what the run there waits for, if it still does; resolves with the events from then on. Undefined for a protocol without such answers.
   *
   * @param told as for `resume`
   */
  answer?(
    run: UpstreamRun,
    answer: UpstreamAnswer,
    call: UpstreamCall,
    told: () => Promise<string>,
  ): Promise<AsyncIterable<UpstreamEvent>>;
  cancel(run: UpstreamRun, call: UpstreamCall): Promise<void>;
  /** The component as it is shown there. */
  describe(call: UpstreamCall): Promise<Readonly<Record<string, unknown>>>;
}

/** What speaking to another server takes from its surroundings. */
export interface UpstreamParts {
  readonly runtime: Runtime;
  readonly settings: Settings;
}
