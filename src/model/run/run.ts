/** A run and the transitions between its states (docs/protocol.md, L5). */

/** Kinds of component that can be run. */
export type ComponentKind = "agent" | "team" | "workflow";

/** Kinds as they are shown to people. */
export const kindTitles = { agent: "Agent", team: "Team", workflow: "Workflow" } as const;

/** Stored states of a run. `REGENERATED` of the contract is not stored: clients see it for a run with `replaced_by`. */
export type RunStatus = "PENDING" | "RUNNING" | "PAUSED" | "COMPLETED" | "CANCELLED" | "ERROR";

/** States that clients see and can filter by. */
export type WireRunStatus = RunStatus | "REGENERATED";

/** Every state on the wire, in the order of the contract. */
export const wireRunStatuses: readonly WireRunStatus[] = [
  "PENDING",
  "RUNNING",
  "COMPLETED",
  "PAUSED",
  "CANCELLED",
  "ERROR",
  "REGENERATED",
];

/** A state without outgoing transitions. */
export type TerminalStatus = "COMPLETED" | "CANCELLED" | "ERROR";

const transitions: Record<RunStatus, readonly RunStatus[]> = {
  PENDING: ["RUNNING", "CANCELLED", "ERROR"],
  RUNNING: ["PAUSED", "COMPLETED", "ERROR", "CANCELLED", "PENDING"],
  PAUSED: ["PENDING", "RUNNING", "CANCELLED", "ERROR"],
  COMPLETED: [],
  CANCELLED: [],
  ERROR: [],
};

/** Whether a run may change from the state `from` to the state `to`. */
export function isTransition(from: RunStatus, to: RunStatus): boolean {
  return transitions[from].includes(to);
}

/** Whether the state is terminal: no more events can be appended. */
export function isTerminal(status: RunStatus): status is TerminalStatus {
  return transitions[status].length === 0;
}

/** Whether a stream ends at a run in this state: a pause ends the stream, but not the run. */
export function isOver(status: RunStatus): boolean {
  return isTerminal(status) || status === "PAUSED";
}

/** Whether the run counts as active, including a run that waits for its turn. */
export function isActive(status: RunStatus): boolean {
  return status === "RUNNING" || status === "PENDING";
}

/** Behavior of a root run while another run of its session is unfinished. */
export type SessionPolicy = "queue" | "parallel";

/** The error text of a cancelled run. */
export function cancelText(runId: string): string {
  return `Run ${runId} was cancelled`;
}
