/** What a client has got of one run, over all its connections. */
import { createHash } from "node:crypto";
import type { Frame } from "../support/stream-client.ts";

const endings = /^(Team)?Run(Completed|Error|Cancelled)$/;

/** Text of a log as one number, so that nobody has to keep it. */
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
  /** Events that came again, and events that were left out. */
  repeated = 0;
  skipped = 0;
  isOver = false;
  /** A cancel was acknowledged, and the run was not over after that. */
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
