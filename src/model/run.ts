/** What a run is, and which states it may pass through (docs/protocol.md, L5). */

/** Kinds of component that can be run. */
export type ComponentKind = "agent" | "team" | "workflow";

/** Kinds as texts for people name them. */
export const kindTitles = { agent: "Agent", team: "Team", workflow: "Workflow" } as const;

/** Stored states of a run. `REGENERATED` of the contract is not one of them: it is shown where `replaced_by` is set. */
export type RunStatus = "PENDING" | "RUNNING" | "PAUSED" | "COMPLETED" | "CANCELLED" | "ERROR";

/** States as clients see and filter them. */
export type WireRunStatus = RunStatus | "REGENERATED";

/** Every state the wire knows, in the contract's order. */
export const wireRunStatuses: readonly WireRunStatus[] = [
  "PENDING",
  "RUNNING",
  "COMPLETED",
  "PAUSED",
  "CANCELLED",
  "ERROR",
  "REGENERATED",
];

/** A state that no transition leaves. */
export type TerminalStatus = "COMPLETED" | "CANCELLED" | "ERROR";

const transitions: Record<RunStatus, readonly RunStatus[]> = {
  PENDING: ["RUNNING", "CANCELLED", "ERROR"],
  RUNNING: ["PAUSED", "COMPLETED", "ERROR", "CANCELLED", "PENDING"],
  PAUSED: ["PENDING", "RUNNING", "CANCELLED", "ERROR"],
  COMPLETED: [],
  CANCELLED: [],
  ERROR: [],
};

/** Whether a run in `from` may become `to`. A terminal state has no way out. */
export function isTransition(from: RunStatus, to: RunStatus): boolean {
  return transitions[from].includes(to);
}

/** Whether nothing can be appended to a run in this state any more. */
export function isTerminal(status: RunStatus): status is TerminalStatus {
  return transitions[status].length === 0;
}

/** Whether a stream of a run in this state has nothing to wait for (a pause ends a stream, but not the run). */
export function isOver(status: RunStatus): boolean {
  return isTerminal(status) || status === "PAUSED";
}

/** Whether the state counts as running for a reader: a run that waits for its turn is on its way. */
export function isActive(status: RunStatus): boolean {
  return status === "RUNNING" || status === "PENDING";
}

/** What a root run does when another run of its session is unfinished. */
export type SessionPolicy = "queue" | "parallel";

/** What is said of a run that somebody cancelled. */
export function cancelText(runId: string): string {
  return `Run ${runId} was cancelled`;
}
