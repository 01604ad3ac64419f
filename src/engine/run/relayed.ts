/**
 * What the log of a team or a workflow takes over from another server's. Each such event says which run under this one the other server executes, and
 * where the event stands in the log there: so it becomes durable with the event how far that log has been taken over.
 */

/** How such an event is marked. */
export interface RelayMark {
  /** Our run that the other server executes. */
  readonly runId: string;
  /** The event's index there; undefined where the other server tells none. */
  readonly index: number | undefined;
}

/** The mark as a member of an event: its last one. */
export function relayMember({ runId, index }: RelayMark): Readonly<Record<string, unknown>> {
  return { relayed: { run_id: runId, event_index: index } };
}

/** Bytes of a frame's end in which the mark stands. */
const longest = 400;
const atTheEnd = /,"relayed":\{"run_id":"([^"\\]+)"(?:,"event_index":(\d+))?\},"event_index":(\d+)\}\nid: \d+\n\n$/;

/** The mark of a stored event, and the event's index here; undefined for one of ours. What somebody said stands inside of quotes, and cannot look like it. */
export function relayMarkOf(frame: Buffer): (RelayMark & { readonly here: number }) | undefined {
  const match = atTheEnd.exec(frame.toString("latin1", Math.max(0, frame.length - longest)));
  if (match?.[1] === undefined) return undefined;
  return { runId: match[1], index: match[2] === undefined ? undefined : Number(match[2]), here: Number(match[3]) };
}

/** Which index there is which one here, of one run that another server executes. */
export class RelayedLog {
  /** Index there of the last event that was taken over. */
  last = -1;
  /** Events that end a step, ascending: what is void after a crash there begins behind one of them. */
  readonly #steps: { readonly there: number; readonly here: number }[] = [];

  take(there: number, here: number, endsStep: boolean): void {
    this.last = there;
    if (endsStep) this.#steps.push({ there, here });
  }

  /** The index here that says the same as `discard_from_index` there. */
  discardFrom(there: number): number {
    return (this.#steps.findLast((step) => step.there < there)?.here ?? -1) + 1;
  }
}
