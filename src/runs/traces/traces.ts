/** Traces: the spans of runs, from the stored trace or from the log of a run whose trace is not stored yet. */
import { storedFrames } from "../../events/stored-frames.ts";
import { nextTurn } from "../../model/next-turn.ts";
import type { Principal } from "../../model/principal.ts";
import { isTerminal } from "../../model/run/run.ts";
import { inputOf, optionsOf, outputOf } from "../../model/run/stored-run.ts";
import { TraceBuilder } from "../../model/trace/derive.ts";
import { runIdOf, traceIdOf } from "../../model/trace/ids.ts";
import type { Span, SpanStatus } from "../../model/trace/span.ts";
import { fromStoredSpans } from "../../model/trace/stored.ts";
import type { RunRow } from "../../store/contract/store.ts";
import type { ListedTrace, TracePage, TraceQuery, TraceRow, TraceSession } from "../../store/contract/traces.ts";
import type { ReadParts } from "../reading.ts";

export type { ListedTrace, TraceQuery, TraceSession } from "../../store/contract/traces.ts";

/** Max runs of one trace that are read. */
const maxRuns = 100;

/** Bytes of a log that are read before other requests get a turn. */
const yieldBytes = 1024 * 1024;

/** The trace of a root run. */
export interface RunTrace extends Omit<TraceRow, "key" | "status" | "endedAt"> {
  readonly status: SpanStatus;
  /** Null while the run has not ended. */
  readonly endedAt: number | null;
  /** Each after its parent. Undefined if the spans do not fit the page. */
  readonly spans: readonly Span[] | undefined;
}

/** The texts of a root run, which its record shows, too. */
export interface TraceTexts {
  readonly input: string;
  /** Undefined for a failed run, and before the answer. */
  readonly output: string | undefined;
  readonly error: string | undefined;
}

type Parts = Pick<ReadParts, "store" | "traces" | "platform" | "runtime">;

/** A page of stored traces, newest first. A trace is stored a few seconds after the end of its run. */
export async function listTraces(
  { traces, platform }: Parts,
  caller: Principal,
  query: TraceQuery,
): Promise<TracePage<ListedTrace>> {
  return await traces.list(caller, { ...query, maxBytes: platform.settings.maxListingBytes });
}

/** The same with the spans, as far as they fit the page. */
export async function searchTraces(
  parts: Parts,
  caller: Principal,
  query: TraceQuery,
): Promise<TracePage<RunTrace & Pick<ListedTrace, "input">>> {
  const { rows, total } = await listTraces(parts, caller, query);
  return { rows: await withSpans(parts, rows), total };
}

/** A page of the sessions of stored traces; the session with the newest trace first. */
export async function listTraceSessions(
  { traces }: Parts,
  caller: Principal,
  query: TraceQuery,
): Promise<TracePage<TraceSession>> {
  return await traces.sessions(caller, query);
}

/**
 * The traces of an id that the caller may see, oldest first: several runs may have the same `traceparent`. Empty if there is none. The trace of a run
 * that has not ended, or whose log is not compacted yet, is derived from its log. Such a trace with the id of a `traceparent` is found only by `runId`.
 */
export async function readTraces(
  parts: Parts,
  caller: Principal,
  traceId: string,
  runId?: string,
): Promise<readonly RunTrace[]> {
  const stored = await parts.traces.find(caller, traceId, maxRuns);
  const rows = runId === undefined ? stored : stored.filter((row) => row.runId === runId);
  const wanted = runId ?? runIdOf(traceId);
  const isStored = wanted === undefined || rows.some((row) => row.runId === wanted);
  const run = isStored ? undefined : await parts.store.findRun(caller, wanted);
  const derived = run && (await deriveTrace(parts, run, traceId));
  return [...(await withSpans(parts, rows)), ...(derived ? [derived] : [])];
}

/** The texts of a trace's run; undefined if it was deleted. */
export async function readTraceTexts(
  { store }: Pick<Parts, "store">,
  caller: Principal,
  { runId }: Pick<RunTrace, "runId">,
): Promise<TraceTexts | undefined> {
  const run = await store.findRun(caller, runId);
  if (!run) return undefined;
  const { content, error } = outputOf(run);
  const output = error || content === undefined ? undefined : textOf(content);
  return { input: inputOf(run).message, output, error: error?.message };
}

async function withSpans<Row extends TraceRow>(
  { traces, platform }: Pick<Parts, "traces" | "platform">,
  rows: readonly Row[],
): Promise<readonly (Row & RunTrace)[]> {
  const texts = await traces.spans(
    rows.map(({ key }) => key),
    platform.settings.maxListingBytes,
  );
  return rows.map((row) => {
    const text = texts.get(row.key);
    return { ...row, spans: text === undefined ? undefined : fromStoredSpans(text, row) };
  });
}

/** Undefined for a member's run, for another trace, and for a copy of a run: only the original has a log. */
async function deriveTrace(
  { store, runtime }: Pick<Parts, "store" | "runtime">,
  run: RunRow,
  traceId: string,
): Promise<RunTrace | undefined> {
  const { key, runId, kind, componentId, componentName, sessionId, userId, createdAt } = run;
  const { traceparent } = optionsOf(run);
  if (key !== run.rootKey || traceIdOf(runId, traceparent) !== traceId) return undefined;
  const builder = new TraceBuilder({
    ...{ runId, kind, componentId, componentName, sessionId, userId, createdAt, traceparent },
  });
  const head = await store.head(key);
  let bytes = 0;
  let unyielded = 0;
  for await (const frames of storedFrames(store, key, head?.nextIndex ?? 0)) {
    builder.take(frames);
    bytes += frames.length;
    unyielded += frames.length;
    if (unyielded < yieldBytes) continue;
    unyielded = 0;
    await nextTurn(runtime.clock);
  }
  if (bytes === 0 && isTerminal(run.status)) return undefined;
  const { spans: spanCount, errors: errorCount, ...totals } = builder.totals();
  const shared = { traceId, runId, sessionId, userId, kind, componentId };
  return { ...shared, ...totals, spanCount, errorCount, spans: builder.spans() };
}

function textOf(content: unknown): string {
  return typeof content === "string" ? content : JSON.stringify(content);
}
