/** Types of AG-UI 1.0 as they are on the wire: JSON has the texts of the package's enumeration. */
import type * as Core from "@ag-ui/core";

/** Version of the protocol that this server speaks. */
export const protocolVersion = "1.0";

type OnWire<Event> = Event extends { type: infer Type extends string }
  ? Omit<Event, "type"> & { type: `${Type}` }
  : never;

/** An event of AG-UI. */
export type AgUiEvent = OnWire<Core.Event>;

export type JsonPatch = Core.JsonPatch;
export type Interrupt = Core.Interrupt;
export type TokenUsage = Core.TokenUsage;

/** Names of a stream in its frames, and the form of the frames. */
export interface StreamName {
  /** The conversation: the id of the session. */
  readonly threadId: string;
  /** The client's id of this request. */
  readonly runId: string;
  /** Whether the client speaks 1.0: subagents and cancelled outcomes are new in it. */
  readonly isCurrent: boolean;
}
