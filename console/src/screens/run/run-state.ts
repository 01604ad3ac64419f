/** The state of a run, from its log or its record. */
import type { ShownRecord } from "./queries.ts";
import type { RowState } from "./row-kinds.ts";
import type { Timeline } from "./timeline.ts";

const statuses: Readonly<Record<RowState, string>> = {
  running: "RUNNING",
  waiting: "PAUSED",
  done: "COMPLETED",
  failed: "ERROR",
  cancelled: "CANCELLED",
  cut: "RUNNING",
  refused: "ERROR",
};

/** The log is newer than the record, but only the record says that another run replaced this one. Undefined while nothing is known. */
export function statusOf({ root }: Timeline, record: ShownRecord | undefined): string | undefined {
  if (record?.status === "REGENERATED") return record.status;
  return root ? statuses[root.state] : record?.status;
}

/** Whether a run has ended, so that it can no longer be cancelled. */
export function isOver(status: string): boolean {
  return !["PENDING", "RUNNING", "PAUSED"].includes(status);
}

/** The message that the run began with. */
export function inputOf(record: ShownRecord | undefined): string | undefined {
  const input = record?.input as string | { readonly input_content?: unknown } | undefined;
  const content = typeof input === "object" ? input.input_content : input;
  return typeof content === "string" && content !== "" ? content : undefined;
}
