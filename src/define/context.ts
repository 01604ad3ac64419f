import type { Principal } from "../model/principal.ts";

/** The session a run belongs to, as definitions see it. */
export interface SessionHandle {
  readonly id: string;
  /** State shared by the session's runs. Changes of top-level keys are stored with the run's next durable step. */
  readonly state: Record<string, unknown>;
}

/** What a definition's functions are told about the run they serve. */
export interface RunContext {
  readonly runId: string;
  /** The root run: the one that was started from outside. Equal to `runId` unless this is a member's run. */
  readonly rootRunId: string;
  readonly componentId: string;
  readonly session: SessionHandle;
  readonly principal: Principal;
  readonly userId: string | null;
  readonly dependencies: Readonly<Record<string, unknown>>;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** What a tool is given beside its input. */
export interface ToolContext extends RunContext {
  /** Aborts on cancel, on the run's time-out and on the tool's own. */
  readonly signal: AbortSignal;
  /** `run_id/tool_call_id`: the same for every try of this call, so that a side effect can be made once. */
  readonly idempotencyKey: string;
  readonly toolCallId: string;
}
