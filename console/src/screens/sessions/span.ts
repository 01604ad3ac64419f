/** Finds the span of a message in the trace of its run. */
import { api, dataOf, type Schema } from "../../api/client.ts";

type SpanNode = Schema<"TraceNode">;

/** A message in a trace. */
export interface SpanPlace {
  /** The root run, whose trace contains the runs below it. */
  readonly root: string;
  readonly run: string;
  /** Position among the answers of the run's models; undefined for the run itself. */
  readonly answer?: number | undefined;
  readonly toolCall?: string | undefined;
}

export interface FoundSpan {
  readonly traceId: string;
  /** Undefined for the whole trace. */
  readonly spanId: string | undefined;
}

/** @throws ApiError if the run has no trace yet */
export async function findSpan({ root, run, answer, toolCall }: SpanPlace): Promise<FoundSpan> {
  const { data } = await dataOf(api.GET("/traces", { params: { query: { run_id: root, limit: 1 } } }));
  // A run that has not ended is not in the list. Its trace id is its run id, unless its caller continued a trace.
  const traceId = data[0]?.trace_id ?? root.replaceAll("-", "");
  const params = { path: { trace_id: traceId }, query: { run_id: root } };
  const trace = (await dataOf(api.GET("/traces/{trace_id}", { params }))) as Schema<"TraceDetail">;
  const own = runNode(trace.tree, run);
  const found =
    toolCall === undefined
      ? own?.spans?.filter(({ type }) => type === "LLM")[answer ?? -1]
      : own?.spans?.find(({ metadata }) => metadata?.tool_call_id === toolCall);
  return { traceId, spanId: (found ?? own)?.id };
}

/** The node of a run's component, not of the request that started it. */
function runNode(nodes: readonly SpanNode[], run: string): SpanNode | undefined {
  for (const node of nodes) {
    if (node.type !== "REQUEST" && node.metadata?.run_id === run) return node;
    const found = runNode(node.spans ?? [], run);
    if (found) return found;
  }
  return undefined;
}
