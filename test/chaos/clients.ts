/** Simulated users: they start and follow runs, disconnect, resume on another replica by their cursor, and cancel. */
import { setTimeout as sleep } from "node:timers/promises";
import type { EventStream, StreamClient } from "../support/stream-client.ts";
import { FollowedRun } from "./followed-run.ts";
import type { Random } from "./random.ts";
import type { Replicas } from "./replicas.ts";

/** Milliseconds without a byte, heartbeats included, after which a client reconnects to another replica. */
const patience = 3_000;

/** Counts of the clients' actions. */
export interface ClientCounts {
  started: number;
  /** Starts that were rejected, or whose connection broke before the response. */
  refused: number;
  inBackground: number;
  dropped: number;
  resumed: number;
  cancelled: number;
}

export class Clients {
  /** Every run whose start was acknowledged. */
  readonly runs: FollowedRun[] = [];
  readonly counts: ClientCounts = { started: 0, refused: 0, inBackground: 0, dropped: 0, resumed: 0, cancelled: 0 };
  readonly #replicas: Replicas;
  readonly #random: Random;
  #isOver = false;
  #sessions = 0;

  constructor(replicas: Replicas, random: Random) {
    this.#replicas = replicas;
    this.#random = random;
  }

  /** Runs `clients` clients at a time, until `finish`. Resolves when every client has received the end of its run. */
  async work(size: number): Promise<void> {
    await Promise.all(Array.from({ length: size }, () => this.#client()));
  }

  /** Starts no more runs. */
  finish(): void {
    this.#isOver = true;
  }

  async #client(): Promise<void> {
    let sessionId = this.#newSession();
    while (!this.#isOver) {
      // Some runs share a session, so they wait for each other.
      if (this.#random.fraction() < 0.7) sessionId = this.#newSession();
      const started = await this.#start(sessionId);
      if (!started) await sleep(this.#random.between(50, 300));
      else await this.#follow(started.run, started.stream);
    }
  }

  #newSession(): string {
    return `session-${this.#sessions++}`;
  }

  async #start(sessionId: string): Promise<{ run: FollowedRun; stream: EventStream | undefined } | undefined> {
    const component = this.#random.pick(["agents/talker", "teams/desk", "teams/desk"]);
    const order = { words: this.#random.between(1, 60), delay: this.#random.between(1, 20) };
    const client = this.#replicas.client(this.#random);
    const inBackground = this.#random.fraction() < 0.25;
    try {
      let runId: string;
      let stream: EventStream | undefined;
      if (inBackground) {
        const fields = { message: JSON.stringify(order), session_id: sessionId, stream: false, background: true };
        const answer = await inTime(client.post(`/${component}/runs`, fields));
        if (answer.status >= 300) throw new Error(`The start returned ${answer.status}.`);
        runId = answer.body.run_id;
      } else {
        const starting = client.start(component, order, { session_id: sessionId });
        stream = await inTime(starting, (late) => late.cut());
        runId = stream.runId;
      }
      this.counts.started++;
      if (inBackground) this.counts.inBackground++;
      const run = new FollowedRun(component, runId, sessionId);
      this.runs.push(run);
      return { run, stream };
    } catch {
      this.counts.refused++;
      return undefined;
    }
  }

  /** Follows a run until the client has received its end. */
  async #follow(run: FollowedRun, first: EventStream | undefined): Promise<void> {
    let stream = first;
    const cancelAt = this.#random.fraction() < 0.15 ? this.#random.between(0, 20) : undefined;
    let wantsCancel = cancelAt !== undefined;
    while (!run.isOver) {
      stream ??= await this.#resume(run);
      if (!stream) {
        await sleep(this.#random.between(50, 300));
        continue;
      }
      const drop = this.#random.fraction() < 0.5 ? run.cursor + this.#random.between(1, 40) : Number.POSITIVE_INFINITY;
      await this.#read(run, stream, wantsCancel ? Math.min(drop, cancelAt ?? 0) : drop);
      stream.cut();
      stream = undefined;
      if (wantsCancel && run.cursor >= (cancelAt ?? 0) && !run.isOver) wantsCancel = !(await this.#cancel(run));
    }
  }

  async #resume({ component, runId, cursor }: FollowedRun): Promise<EventStream | undefined> {
    try {
      const resuming = this.#replicas.client(this.#random).resume(component, runId, cursor);
      const stream = await inTime(resuming, (late) => late.cut());
      this.counts.resumed++;
      return stream;
    } catch {
      return undefined;
    }
  }

  /** Reads until the run ends, the connection ends, no byte arrives for too long, or this client disconnects. */
  async #read(run: FollowedRun, stream: EventStream, drop: number): Promise<void> {
    let known = 0;
    let isSilent = false;
    const watch = setInterval(() => {
      isSilent = stream.frames.length === known;
      known = stream.frames.length;
      if (isSilent) stream.cut();
    }, patience);
    try {
      for (let place = 0; ; place++) {
        // Each new frame is checked once: `next` would check all earlier frames again.
        while (place >= stream.frames.length && !stream.isClosed) await stream.moved();
        const frame = stream.frames[place];
        if (!frame) return;
        run.take(frame);
        if (run.isOver) return;
        if (run.cursor >= drop) {
          this.counts.dropped++;
          return;
        }
      }
    } finally {
      clearInterval(watch);
    }
  }

  /** Whether the cancel was acknowledged. */
  async #cancel(run: FollowedRun): Promise<boolean> {
    const client = this.#replicas.client(this.#random);
    try {
      const { status } = await inTime(client.cancel(run.component, run.runId));
      if (status !== 200) return false;
      this.counts.cancelled++;
      run.mustBeCancelled = await isUnfinished(client, run);
      return true;
    } catch {
      return false;
    }
  }
}

async function isUnfinished(client: StreamClient, run: FollowedRun): Promise<boolean> {
  const record = await inTime(client.record(run.component, run)).catch(() => undefined);
  return record?.status === "RUNNING" || record?.status === "PENDING";
}

/** Gives up a request that gets no response in time. @param late receives a response that arrives after that */
async function inTime<T>(asked: Promise<T>, late: (answer: T) => void = () => undefined): Promise<T> {
  let isLate = false;
  void asked.then((answer) => isLate && late(answer)).catch(() => undefined);
  const over = new AbortController();
  const limit = sleep(patience * 2, undefined, { signal: over.signal }).then(() => {
    isLate = true;
    throw new Error("No response.");
  });
  limit.catch(() => undefined);
  try {
    return await Promise.race([asked, limit]);
  } finally {
    over.abort();
  }
}
