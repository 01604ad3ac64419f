/** Options of a start, and the record of a run as the server sends it. */

import type { RunMetrics, ToolExecution, ToolRequirement } from "../src/model/run/record.ts";
import type { WireRunStatus } from "../src/model/run/run.ts";
import type { RunLimits, ShownLimit } from "../src/model/usage/limits.ts";
import type { StepRequirement } from "../src/model/workflow.ts";
import type { ConnectionState } from "./connection.ts";
import type { AnyTypes, ComponentTypes } from "./typed.ts";

/** Options of a start, in addition to its input. */
export interface StartOptions<Types extends ComponentTypes = AnyTypes> {
  /** Default: a new session. */
  readonly sessionId?: string;
  /** Owner of the run. Used only when authorization is off. */
  readonly userId?: string;
  /** The version of the component (docs/components.md). Default: the one that new runs use. A draft needs the permission to write components. */
  readonly version?: number;
  /** Whether the start is queued for a free process and its stream opened only when the run is iterated. Default: false. */
  readonly background?: boolean;
  readonly sessionState?: Readonly<Partial<Types["sessionState"]>>;
  readonly dependencies?: Readonly<Partial<Types["dependencies"]>>;
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** JSON Schema of the answer. For agents and teams only. */
  readonly outputSchema?: Readonly<Record<string, unknown>>;
  /** Limits of this run, in addition to those that the server sets. */
  readonly limits?: RunLimits;
  /** Input of a factory, see `agentFactory`. */
  readonly factoryInput?: Readonly<Record<string, unknown>>;
  /** Files of the message. */
  readonly files?: readonly File[];
  /** Identifies this start: repeated requests with the same key start one run. Default: a random key. */
  readonly idempotencyKey?: string;
  /** Called when the state of the connection changes, for a display of it. */
  readonly onConnection?: (connection: ConnectionState) => void;
  /** Stops following; the run continues. */
  readonly signal?: AbortSignal;
}

/** Returns the form of a start request. */
export function toForm(message: string, options: StartOptions): URLSearchParams | FormData {
  const { background = false, files = [] } = options;
  const objects = {
    session_state: options.sessionState,
    dependencies: options.dependencies,
    metadata: options.metadata,
    output_schema: options.outputSchema,
    factory_input: options.factoryInput,
    limits: options.limits && toWireLimits(options.limits),
  };
  const fields: Readonly<Record<string, string | undefined>> = {
    message,
    stream: String(!background),
    background: String(background),
    session_id: options.sessionId,
    user_id: options.userId,
    version: options.version?.toString(),
    ...Object.fromEntries(Object.entries(objects).map(([name, value]) => [name, value && JSON.stringify(value)])),
  };
  const form = files.length > 0 ? new FormData() : new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) form.append(name, value);
  if (form instanceof FormData) for (const file of files) form.append("files", file);
  return form;
}

function toWireLimits({ modelRequests, toolCalls, ...limits }: RunLimits): object {
  return { ...limits, model_requests: modelRequests, tool_calls: toolCalls };
}

/** The record of a run. The server also sends members that are not listed here. */
export interface RunRecord {
  readonly run_id: string;
  readonly session_id?: string;
  readonly status: WireRunStatus;
  readonly content?: unknown;
  readonly content_type?: string;
  readonly tools?: readonly ToolExecution[] | null;
  /** Requirements of an agent's or a team's run: the answered ones, and those it waits for while it is paused. */
  readonly requirements?: readonly ToolRequirement[] | null;
  /** Requirements of a workflow's run: the answered ones, and those it waits for while it is paused. */
  readonly step_requirements?: readonly StepRequirement[] | null;
  /** The limit that the run reached. */
  readonly limit?: ShownLimit;
  /** The duration is null for a workflow that has not ended. */
  readonly metrics?: (Omit<RunMetrics, "duration"> & { readonly duration?: number | null }) | null;
  readonly [member: string]: unknown;
}
