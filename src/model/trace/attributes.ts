/** Names and attributes of spans, by the OpenTelemetry GenAI semantic conventions. */
import type { ComponentKind } from "../run/run.ts";
import type { AttributeValue } from "./span.ts";

/** A span's attributes; undefined values are omitted. */
export type Attributes = Readonly<Record<string, AttributeValue | undefined>>;

/** Well-known values of `gen_ai.provider.name` that differ from the lower-cased name of the provider. */
const providers: Readonly<Record<string, string>> = {
  "aws bedrock": "aws.bedrock",
  azure: "azure.ai.openai",
  google: "gcp.gemini",
  vertex: "gcp.vertex_ai",
  mistral: "mistral_ai",
  moonshotai: "moonshot_ai",
  xai: "x_ai",
};

/** Returns `gen_ai.provider.name` for the provider's name in events. */
export function providerOf(name: string | undefined): string | undefined {
  const lower = name?.toLowerCase();
  return lower === undefined ? undefined : (providers[lower] ?? lower);
}

/** A component whose run a span covers. */
export interface SpanComponent {
  readonly kind: ComponentKind;
  readonly id: string;
  readonly name: string;
}

/** The name of a run's span. A team is an agent with members, so it has the operation of an agent. */
export function runName({ kind, name }: SpanComponent): string {
  return `${operationOf(kind)} ${name}`;
}

/** The attributes of a run's span. */
export function runAttributes({ kind, id, name }: SpanComponent, runId: string, sessionId: string): Attributes {
  const named =
    kind === "workflow" ? { "gen_ai.workflow.name": name } : { "gen_ai.agent.id": id, "gen_ai.agent.name": name };
  return {
    "gen_ai.operation.name": operationOf(kind),
    ...named,
    "gen_ai.conversation.id": sessionId,
    "troupe.component.kind": kind,
    "troupe.component.id": id,
    "troupe.run.id": runId,
  };
}

function operationOf(kind: ComponentKind): "invoke_agent" | "invoke_workflow" {
  return kind === "workflow" ? "invoke_workflow" : "invoke_agent";
}

/** The counters of a model turn, as its event reports them. */
export interface TurnCounters {
  readonly input_tokens?: number;
  readonly output_tokens?: number;
  readonly reasoning_tokens?: number;
  readonly cache_read_tokens?: number;
  readonly cache_write_tokens?: number;
  /** Seconds. */
  readonly time_to_first_token?: number;
  /** US dollars; missing if the price is unknown. */
  readonly cost?: number;
}

/** The usage attributes of a model turn. */
export function usageAttributes(turn: TurnCounters): Attributes {
  return {
    "gen_ai.usage.input_tokens": turn.input_tokens,
    "gen_ai.usage.output_tokens": turn.output_tokens,
    "gen_ai.usage.reasoning.output_tokens": turn.reasoning_tokens || undefined,
    "gen_ai.usage.cache_read.input_tokens": turn.cache_read_tokens || undefined,
    "gen_ai.usage.cache_write.input_tokens": turn.cache_write_tokens || undefined,
    "gen_ai.response.time_to_first_chunk": turn.time_to_first_token,
    "troupe.usage.cost": turn.cost,
  };
}
