import type { RunStatus } from "../../src/model/run/run.ts";
import type { Outcome, RunHead, Segment, Store, Write } from "../../src/store/contract/store.ts";

/** Stores logs in arrays and returns scripted outcomes, for tests of the parts that use the store's interface. */
export class LogStore {
  readonly segmentsOf = new Map<number, Segment[]>();
  readonly statusOf = new Map<number, RunStatus>();
  readonly watched = new Set<number>();
  readonly flushes: (readonly Write[])[] = [];
  /** Decides a write's outcome before it is applied; undefined applies it. */
  decide: (write: Write, flush: number) => Outcome | undefined = () => undefined;
  /** Awaited before every flush. */
  before: () => Promise<void> = () => Promise.resolve();
  #nextKey = 1;

  /** The part of the store's interface that a journal and logs need. */
  get store(): Store {
    return {
      capabilities: { dialect: "postgres", replicas: true, label: "arrays" },
      watch: async (key: number) => void this.watched.add(key),
      nextRunKey: () => this.#nextKey++,
      append: (writes: readonly Write[]) => this.#append(writes),
      head: (key: number) => Promise.resolve(this.#head(key)),
      segments: (key: number, cursor: number, maxBytes: number) =>
        Promise.resolve(this.#segments(key, cursor, maxBytes)),
    } as unknown as Store;
  }

  async #append(writes: readonly Write[]): Promise<readonly Outcome[]> {
    await this.before();
    this.flushes.push(writes);
    return writes.map((write) => this.decide(write, this.flushes.length - 1) ?? this.#apply(write));
  }

  #apply(write: Write): Outcome {
    if (write.kind === "create") {
      this.statusOf.set(write.key, "RUNNING");
      return { kind: "created", status: "RUNNING", sessionKey: 1, sessionSeq: 1, sessionState: "{}" };
    }
    if (write.segment) {
      const segments = this.segmentsOf.get(write.key) ?? [];
      segments.push(write.segment);
      this.segmentsOf.set(write.key, segments);
    }
    if (write.transition) this.statusOf.set(write.key, write.transition.to);
    return { kind: "committed", waiting: false, watched: this.watched.has(write.key) };
  }

  #head(key: number): RunHead | undefined {
    const status = this.statusOf.get(key);
    const last = this.segmentsOf.get(key)?.at(-1)?.lastIndex ?? -1;
    return status && { status, nextIndex: last + 1, firstKept: 0, attempt: 1, cancelRequested: false };
  }

  #segments(key: number, cursor: number, maxBytes: number): Segment[] {
    let bytes = 0;
    const found: Segment[] = [];
    for (const segment of this.segmentsOf.get(key) ?? []) {
      if (segment.lastIndex <= cursor) continue;
      if (found.length > 0 && bytes >= maxBytes) break;
      found.push(segment);
      bytes += segment.frames.length;
    }
    return found;
  }
}
