/**
 * Relayed events of another server in the log of a team or a workflow. Each contains the local id of the run, and the
 * event's index in the other server's log. Therefore the relay's progress becomes durable with the event itself.
 */

/** The mark of a relayed event. */
export interface RelayOrigin {
  /** This server's run that the other server executes. */
  readonly runId: string;
  /** The event's index there; undefined if the other server sends none. */
  readonly index: number | undefined;
}

/** Returns the mark as the last member of an event. */
export function relayField({ runId, index }: RelayOrigin): Readonly<Record<string, unknown>> {
  return { relayed: { run_id: runId, event_index: index } };
}

/** Maximum length of the mark at the end of a frame, in bytes. */
const maxOriginBytes = 400;
const atTheEnd = /,"relayed":\{"run_id":"([^"\\]+)"(?:,"event_index":(\d+))?\},"event_index":(\d+)\}\nid: \d+\n\n$/;

/**
 * Returns the mark of a stored event, and the event's index here; undefined for an event of this server. Quotes in texts are escaped, so no text can
 * imitate the mark.
 */
export function relayOriginOf(frame: Buffer): (RelayOrigin & { readonly here: number }) | undefined {
  const match = atTheEnd.exec(frame.toString("latin1", Math.max(0, frame.length - maxOriginBytes)));
  if (match?.[1] === undefined) return undefined;
  return { runId: match[1], index: match[2] === undefined ? undefined : Number(match[2]), here: Number(match[3]) };
}

/** Maps event indexes there to indexes here, for one run that another server executes. */
export class RelayedLog {
  /** Index there of the last relayed event. */
  last = -1;
  /** Indexes of the events that end a step, ascending: after a crash of the other server, the void events begin directly after one of them. */
  readonly #steps: { readonly there: number; readonly here: number }[] = [];

  take(there: number, here: number, endsStep: boolean): void {
    this.last = there;
    if (endsStep) this.#steps.push({ there, here });
  }

  /** Returns the index here that corresponds to `discard_from_index` there. */
  discardFrom(there: number): number {
    return (this.#steps.findLast((step) => step.there < there)?.here ?? -1) + 1;
  }
}
