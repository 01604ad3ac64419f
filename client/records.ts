/** What starts a run, and what is recorded of it, as they stand on the wire. */
import type { RunMetrics, ToolExecution, ToolRequirement } from "../src/model/record.ts";
import type { WireRunStatus } from "../src/model/run.ts";
import type { StepRequirement } from "../src/model/workflow.ts";
import type { AnyTypes, ComponentTypes } from "./typed.ts";

/** What a run is started with beside its message. */
export interface StartOptions<Types extends ComponentTypes = AnyTypes> {
  /** Default: a new session. */
  readonly sessionId?: string;
  /** Whose run it is, where authorization is off. */
  readonly userId?: string;
  /** Accepted and not followed: its events come when it is iterated. Waits in the queue for a free process. Default: false. */
  readonly background?: boolean;
  readonly sessionState?: Readonly<Partial<Types["sessionState"]>>;
  readonly dependencies?: Readonly<Partial<Types["dependencies"]>>;
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** JSON Schema of the answer. Agents and teams only. */
  readonly outputSchema?: Readonly<Record<string, unknown>>;
  /** What a factory builds the component from. */
  readonly factoryInput?: Readonly<Record<string, unknown>>;
  /** Sent along with the message. */
  readonly files?: readonly File[];
  /** Names this start: however often it is sent, it is one run. Default: a fresh one. */
  readonly idempotencyKey?: string;
  /** Ends the following, not the run. */
  readonly signal?: AbortSignal;
}

/** The form of a start. */
export function toForm(message: string, options: StartOptions): URLSearchParams | FormData {
  const { background = false, files = [] } = options;
  const objects = {
    session_state: options.sessionState,
    dependencies: options.dependencies,
    metadata: options.metadata,
    output_schema: options.outputSchema,
    factory_input: options.factoryInput,
  };
  const fields: Readonly<Record<string, string | undefined>> = {
    message,
    stream: String(!background),
    background: String(background),
    session_id: options.sessionId,
    user_id: options.userId,
    ...Object.fromEntries(Object.entries(objects).map(([name, value]) => [name, value && JSON.stringify(value)])),
  };
  const form = files.length > 0 ? new FormData() : new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) form.append(name, value);
  if (form instanceof FormData) for (const file of files) form.append("files", file);
  return form;
}

/** A run as it is recorded. Members that are not named here come, too. */
export interface RunRecord {
  readonly run_id: string;
  readonly session_id?: string;
  readonly status: WireRunStatus;
  readonly content?: unknown;
  readonly content_type?: string;
  readonly tools?: readonly ToolExecution[] | null;
  /** What an agent or a team waited for, with what was answered, and what it waits for while it is paused. */
  readonly requirements?: readonly ToolRequirement[] | null;
  /** The same of a workflow. */
  readonly step_requirements?: readonly StepRequirement[] | null;
  /** The duration of a workflow that is not over is null. */
  readonly metrics?: (Omit<RunMetrics, "duration"> & { readonly duration?: number | null }) | null;
  readonly [member: string]: unknown;
}
