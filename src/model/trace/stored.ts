/** The stored form of a trace's spans: JSON without the members that the trace's row has. */
import type { AttributeValue, Span, SpanKind, SpanStatus } from "./span.ts";

const conversation = "gen_ai.conversation.id";

/** Kinds of spans with the session as their conversation. */
const inConversation: ReadonlySet<SpanKind> = new Set(["request", "run", "model"]);

type StoredSpan = readonly [
  spanId: string,
  parentSpanId: string | null,
  kind: SpanKind,
  name: string,
  status: SpanStatus,
  startedAt: number,
  endedAt: number | null,
  attributes: Readonly<Record<string, AttributeValue>>,
  statusMessage?: string,
];

/** Members that all spans of a trace share. */
export interface SharedMembers {
  readonly traceId: string;
  readonly sessionId: string;
}

/** Returns the JSON text of spans. */
export function toStoredSpans(spans: readonly Span[]): string {
  return JSON.stringify(
    spans.map(
      ({ spanId, parentSpanId, kind, name, status, startedAt, endedAt, attributes, statusMessage }): StoredSpan => {
        const { [conversation]: _, ...own } = attributes;
        const members = [spanId, parentSpanId, kind, name, status, startedAt, endedAt, own] as const;
        return statusMessage === undefined ? members : [...members, statusMessage];
      },
    ),
  );
}

/** Returns the spans of a stored text. */
export function fromStoredSpans(text: string, { traceId, sessionId }: SharedMembers): readonly Span[] {
  return (JSON.parse(text) as readonly StoredSpan[]).map(
    ([spanId, parentSpanId, kind, name, status, startedAt, endedAt, own, statusMessage]) => ({
      ...{ traceId, spanId, parentSpanId, name, kind, status, startedAt, endedAt },
      ...(statusMessage !== undefined && { statusMessage }),
      attributes: inConversation.has(kind) ? { ...own, [conversation]: sessionId } : own,
    }),
  );
}
