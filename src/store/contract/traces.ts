/** Stored traces. A trace is stored when the log of its run is compacted, and is deleted with the run. */
import type { Principal } from "../../model/principal.ts";
import type { ComponentKind } from "../../model/run/run.ts";
import type { TraceFilter } from "../../model/trace/filter.ts";
import type { Span, TracedRun } from "../../model/trace/span.ts";

/** A trace without its spans. Times are milliseconds since the epoch. */
export interface TraceRow {
  readonly key: number;
  readonly traceId: string;
  readonly runId: string;
  readonly sessionId: string;
  readonly userId: string | null;
  readonly kind: ComponentKind;
  readonly componentId: string;
  readonly name: string;
  readonly status: "OK" | "ERROR";
  readonly startedAt: number;
  readonly endedAt: number;
  readonly spanCount: number;
  readonly errorCount: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** A trace that this process has stored. */
export interface StoredTrace {
  /** Key of the root run. */
  readonly key: number;
  readonly run: TracedRun;
  /** Returns the spans, each after its parent. */
  readonly spans: () => readonly Span[];
}

/** A trace on a page. Its JSON text is null when it does not fit the page. */
export interface ListedTrace extends TraceRow {
  /** The run's input without media bytes, as JSON text. */
  readonly input: string | null;
}

/** Filter and page of a listing, newest first. */
export interface TraceQuery {
  readonly filter: TraceFilter;
  readonly limit: number;
  readonly offset: number;
}

/** The traces of a session that fit a filter. */
export interface TraceSession {
  readonly sessionId: string;
  readonly userId: string | null;
  readonly kind: ComponentKind;
  /** Empty for a session that was created without a component. */
  readonly componentId: string;
  readonly traces: number;
  /** Start of the first and of the last trace. */
  readonly firstAt: number;
  readonly lastAt: number;
}

/** A page. The total stops at the counting limit: the real total may then be higher. */
export interface TracePage<Row> {
  readonly rows: readonly Row[];
  readonly total: number;
}

/**
 * Reads traces that the caller may see. Comparisons that no index answers cover the newest 10,000 traces that fit the other comparisons, so that no
 * filter reads all traces.
 */
export interface TraceStore {
  /** Traces, newest first. `maxBytes` bounds the inputs of the page. */
  list(caller: Principal, query: TraceQuery & { readonly maxBytes: number }): Promise<TracePage<ListedTrace>>;
  /**
   * Sessions with traces that fit the filter; the session with the newest trace first. Lists the sessions of the newest 10,000 traces; the counts of
   * each session cover all its traces.
   */
  sessions(caller: Principal, query: TraceQuery): Promise<TracePage<TraceSession>>;
  /** The traces of an id, oldest first: several runs may have the same `traceparent`. At most `limit`. */
  find(caller: Principal, traceId: string, limit: number): Promise<readonly TraceRow[]>;
  /** Stored spans by run, as JSON text, as far as `maxBytes` allow. */
  spans(keys: readonly number[], maxBytes: number): Promise<ReadonlyMap<number, string>>;
}
