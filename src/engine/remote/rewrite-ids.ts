/** Events of a run elsewhere as events of the run here: its ids are ours, and it is a part of our session. */
import type { Hosted } from "../../define/platform.ts";
import type { RelayedFields } from "../loops/contract.ts";

/** Which run there is which one here. */
export interface Redress {
  readonly component: Hosted;
  readonly there: { readonly runId: string; readonly sessionId: string };
  readonly here: { readonly runId: string; readonly sessionId: string };
}

/** The fields of an event there, with our ids wherever theirs stood. */
export function redress(data: string, { there, here }: Omit<Redress, "component">): RelayedFields {
  const ours = new Map([
    [there.runId, here.runId],
    [there.sessionId, here.sessionId],
  ]);
  const fields = JSON.parse(data, (_key, value: unknown) =>
    typeof value === "string" ? (ours.get(value) ?? value) : value,
  ) as Record<string, unknown> & { event: string };
  // Where it stands, and what that server took over from yet another one, is told of the log there.
  delete fields.event_index;
  delete fields.relayed;
  return fields;
}

/** How an event ends the run, or this part of its life; undefined for one that does not, a member's end for instance. */
export function endingOf(
  { event, run_id }: RelayedFields,
  { component: { kind }, here }: Redress,
): "Completed" | "Error" | "Cancelled" | "Paused" | undefined {
  const prefix = { agent: "Run", team: "TeamRun", workflow: "Workflow" }[kind];
  if (run_id !== here.runId || !event.startsWith(prefix)) return undefined;
  const rest = event.slice(prefix.length);
  return endings.find((ending) => ending === rest);
}

const endings = ["Completed", "Error", "Cancelled", "Paused"] as const;
