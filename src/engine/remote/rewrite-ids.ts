/** Rewrites events of a run on another server to events of the run here: with this server's ids, in this server's session. */
import type { Hosted } from "../../define/platform.ts";
import type { RelayedFields } from "../loops/contract.ts";

/** The ids of a run on both servers. */
export interface IdMapping {
  readonly component: Hosted;
  readonly there: { readonly runId: string; readonly sessionId: string };
  readonly here: { readonly runId: string; readonly sessionId: string };
}

/** Returns the fields of an event with this server's ids in place of the other server's. */
export function rewriteIds(data: string, { there, here }: Omit<IdMapping, "component">): RelayedFields {
  const idsHere = new Map([
    [there.runId, here.runId],
    [there.sessionId, here.sessionId],
  ]);
  const fields = JSON.parse(data, (_key, value: unknown) =>
    typeof value === "string" ? (idsHere.get(value) ?? value) : value,
  ) as Record<string, unknown> & { event: string };
  // The other server's event index and relay marks refer to its own log.
  delete fields.event_index;
  delete fields.relayed;
  return fields;
}

/** Returns how an event ends or pauses the run; undefined for any other event, such as a member's end. */
export function endingOf(
  { event, run_id }: RelayedFields,
  { component: { kind }, here }: IdMapping,
): "Completed" | "Error" | "Cancelled" | "Paused" | undefined {
  const prefix = { agent: "Run", team: "TeamRun", workflow: "Workflow" }[kind];
  if (run_id !== here.runId || !event.startsWith(prefix)) return undefined;
  const rest = event.slice(prefix.length);
  return endings.find((ending) => ending === rest);
}

const endings = ["Completed", "Error", "Cancelled", "Paused"] as const;
