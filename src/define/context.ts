import type { Principal } from "../model/principal.ts";
import type { ArtifactOptions } from "./artifact.ts";

/** The session a run belongs to, as definitions see it. */
export interface SessionHandle<State extends object = Record<string, unknown>> {
  readonly id: string;
  /**
   * State shared by the session's runs. Changes of top-level keys are stored with the run's next durable step. Another component may have begun
   * the session, so every key may be missing.
   */
  readonly state: Partial<State>;
}

/** The A2A message that started a run, beside its content. */
export interface A2aMessage {
  /** As its sender chose it. */
  readonly messageId: string;
  /** Of the message itself. Those of the request are the run's `metadata`. */
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly extensions: readonly string[];
  readonly referenceTaskIds: readonly string[];
}

/** The run that a function of a definition serves. */
export interface RunContext<
  State extends object = Record<string, unknown>,
  Dependencies extends object = Readonly<Record<string, unknown>>,
> {
  readonly runId: string;
  /** The root run: the one that was started from outside. Equal to `runId` unless this is a member's run. */
  readonly rootRunId: string;
  readonly componentId: string;
  readonly session: SessionHandle<State>;
  readonly principal: Principal;
  readonly userId: string | null;
  /** The component's `dependencies`, with those of the start over them. What a start sends is not validated. */
  readonly dependencies: Readonly<Dependencies>;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Undefined for a run that was started in another way. */
  readonly a2a?: A2aMessage | undefined;
  /**
   * Adds a file, a text or data that the run makes beside its answer. The log tells it as a `CustomEvent` with the member `artifact`, by A2A it is an
   * artifact of the task. It is durable with the run's next durable step.
   *
   * @throws TypeError for an artifact without a name, or without exactly one content
   * @throws RangeError for one that is larger than the setting `uploadLimit`
   */
  addArtifact(artifact: ArtifactOptions): void;
}

/** What a tool receives beside its input. */
export interface ToolContext<
  State extends object = Record<string, unknown>,
  Dependencies extends object = Readonly<Record<string, unknown>>,
> extends RunContext<State, Dependencies> {
  /** Aborts on cancel, on the run's time-out and on the tool's own. */
  readonly signal: AbortSignal;
  /** `run_id/tool_call_id`: the same for every try of this call, so that a side effect can be made once. */
  readonly idempotencyKey: string;
  readonly toolCallId: string;
}
