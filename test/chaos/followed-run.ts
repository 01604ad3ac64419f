/** The events that a client has received of one run, over all its connections. */
import { createHash } from "node:crypto";
import type { Frame } from "../support/stream-client.ts";

const endings = /^(Team)?Run(Completed|Error|Cancelled)$/;

/** A hash of a log's text, so that clients need not keep the text. */
export class Digest {
  readonly #hash = createHash("sha256");

  add(raw: string): void {
    this.#hash.update(raw);
  }

  get value(): string {
    return this.#hash.copy().digest("hex");
  }
}

export class FollowedRun {
  readonly component: string;
  readonly runId: string;
  readonly sessionId: string;
  readonly digest = new Digest();
  cursor = -1;
  /** Repeated events and missing events. */
  repeated = 0;
  skipped = 0;
  isOver = false;
  /** Whether a cancel was acknowledged before the run had ended. */
  mustBeCancelled = false;

  constructor(component: string, runId: string, sessionId: string) {
    this.component = component;
    this.runId = runId;
    this.sessionId = sessionId;
  }

  take({ id, raw, event, data }: Frame): void {
    if (id === undefined) return;
    if (id <= this.cursor) {
      this.repeated++;
      return;
    }
    this.skipped += id - this.cursor - 1;
    this.cursor = id;
    this.digest.add(raw);
    if (endings.test(event ?? "") && data.run_id === this.runId) this.isOver = true;
  }
}
