/** Ids of traces and spans (W3C Trace Context). They are derived from the run, so that each derivation returns the same ids. */
import { hash } from "node:crypto";

/** The caller's span, which is the parent of a run's trace. */
export interface TraceParent {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
}

const header = /^[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-[\da-f]{2}(?:-|$)/;
const uuid = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i;
const zeros = /^0+$/;

/** Parses a `traceparent` header (W3C Trace Context section 3.2); undefined for an invalid one. */
export function parseTraceparent(text: string | undefined): TraceParent | undefined {
  const [, traceId, spanId] = (text !== undefined && header.exec(text)) || [];
  if (traceId === undefined || spanId === undefined || text?.startsWith("ff")) return undefined;
  return zeros.test(traceId) || zeros.test(spanId) ? undefined : { traceId, spanId };
}

/**
 * Returns the trace id of a root run, 32 hexadecimal digits: the id in the caller's `traceparent`, otherwise the digits of the run's UUID. A run id
 * that is no UUID is hashed.
 */
export function traceIdOf(runId: string, traceparent?: string): string {
  const parent = parseTraceparent(traceparent);
  if (parent) return parent.traceId;
  return uuid.test(runId) ? runId.replaceAll("-", "").toLowerCase() : digest(runId, 32);
}

/**
 * Returns the id of a span, 16 hexadecimal digits. A span is named by the event that began it, whose index is known before it is committed.
 *
 * @param runId - the root run, whose log has the event
 * @param place - index of the event; a text for a span that no event began
 */
export function spanIdOf(runId: string, place: number | string): string {
  return digest(`${runId}:${place}`, 16);
}

/** Returns the run id that a trace id encodes, if no `traceparent` determined the trace id; undefined for a text that is no trace id. */
export function runIdOf(traceId: string): string | undefined {
  if (!/^[\da-f]{32}$/.test(traceId)) return undefined;
  return traceId.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

function digest(text: string, digits: number): string {
  return hash("sha256", text, "hex").slice(0, digits);
}
