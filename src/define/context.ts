import type { Principal } from "../model/principal.ts";
import type { ArtifactOptions } from "../model/run/artifact.ts";

/** The session of a run, as definitions see it. */
export interface SessionHandle<State extends object = Record<string, unknown>> {
  readonly id: string;
  /**
   * State shared by the runs of the session. Changes to top-level keys are stored with the run's next durable step. Every key may be
   * missing, because another component may have created the session.
   */
  readonly state: Partial<State>;
}

/** The A2A message that started a run, without its content. */
export interface A2aMessage {
  /** The id that the sender chose. */
  readonly messageId: string;
  /** Metadata of the message. The metadata of the request is the run's `metadata`. */
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly extensions: readonly string[];
  readonly referenceTaskIds: readonly string[];
}

/** The context of a run, passed to the functions of a definition. */
export interface RunContext<
  State extends object = Record<string, unknown>,
  Dependencies extends object = Readonly<Record<string, unknown>>,
> {
  readonly runId: string;
  /** Id of the root run, which a caller started. Equal to `runId` unless this run is the run of a team member. */
  readonly rootRunId: string;
  readonly componentId: string;
  readonly session: SessionHandle<State>;
  readonly principal: Principal;
  readonly userId: string | null;
  /** The component's `dependencies`, overridden by the `dependencies` of the start request. The values of a start request are not validated. */
  readonly dependencies: Readonly<Dependencies>;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** The A2A message that started the run; undefined if the run was started otherwise. */
  readonly a2a?: A2aMessage | undefined;
  /**
   * Adds an artifact (a file, text or data) that the run produces in addition to its answer. The run log holds it as a `CustomEvent` with
   * the member `artifact`; over A2A it is an artifact of the task. It becomes durable with the run's next durable step.
   *
   * @throws TypeError for an artifact without a name, or without exactly one content
   * @throws RangeError for an artifact that is larger than the setting `maxUploadBytes`
   */
  addArtifact(artifact: ArtifactOptions): void;
}

/** The context of a tool call. */
export interface ToolContext<
  State extends object = Record<string, unknown>,
  Dependencies extends object = Readonly<Record<string, unknown>>,
> extends RunContext<State, Dependencies> {
  /** Aborts when the run is cancelled, or when the time-out of the run or of the tool expires. */
  readonly signal: AbortSignal;
  /** `run_id/tool_call_id`: the same for every attempt of this call, so that a tool can apply a side effect only once. */
  readonly idempotencyKey: string;
  readonly toolCallId: string;
  /** The user's access token at the provider of the tool's `oauth`. Undefined for a tool without `oauth`. Do not return it: results are part of the prompt. */
  readonly accessToken?: string | undefined;
}
