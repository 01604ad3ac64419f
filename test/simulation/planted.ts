/** Planted bugs: each breaks one part, and the simulation must find a violation of one of its guarantees. */
import { Lease } from "../../src/engine/process/lease.ts";
import { type LiveLog, LiveLogs } from "../../src/events/live-log.ts";
import type { FollowOptions, LogItem, RunLogs } from "../../src/events/run-logs.ts";
import type { RunWriter } from "../../src/events/run-writer.ts";
import { framesBefore, framesFrom } from "../../src/model/frame.ts";
import { isTerminal } from "../../src/model/run/run.ts";
import type { Outcome, Store, Write } from "../../src/store/contract/store.ts";
import { WatchedJournal } from "./process.ts";
import type { Variant } from "./variant.ts";

/** A bug, with the checks that may find it. */
export interface PlantedBug {
  readonly guarantee: string;
  readonly bug: string;
  readonly checks: readonly string[];
  readonly variant: Variant;
}

type Ask = (store: Store) => Partial<Store>;

/** A store with some methods replaced. */
function storeWith(change: Ask): Variant {
  return {
    // All other members, getters included, are the real store's.
    store: (store) => Object.assign(Object.create(store) as Store, change(store)),
  };
}

function changedWrites(writes: readonly Write[], change: (write: Extract<Write, { kind: "run" }>) => object): Write[] {
  return writes.map((write) => (write.kind === "run" ? { ...write, ...change(write) } : write));
}

/** Reads events first and the head afterwards, which is the wrong order. */
function readsTooEarly({
  store,
  runtime,
}: {
  store: Store;
  runtime: { clock: { sleep(ms: number): Promise<void> } };
}): RunLogs {
  async function* follow(key: number, { cursor, signal }: FollowOptions): AsyncGenerator<LogItem> {
    for (let last = cursor; !signal.aborted; await runtime.clock.sleep(50)) {
      const segments = await store.segments(key, last, 100_000);
      const head = await store.head(key);
      if (!head) return yield { kind: "deleted" };
      for (const { firstIndex, lastIndex, frames } of segments) {
        const bytes = framesFrom(framesBefore(frames, firstIndex, head.nextIndex), firstIndex, last + 1);
        yield { kind: "frames", first: last + 1, last: lastIndex, bytes };
        last = lastIndex;
      }
      if (isTerminal(head.status)) return yield { kind: "end", status: head.status };
    }
  }
  return { head: (key) => store.head(key), follow };
}

/** Live logs that lose every third flush. */
class LeakyLogs extends LiveLogs {
  #pieces = 0;

  override committed(log: LiveLog, first: number, last: number, bytes: Buffer): void {
    this.#pieces += 1;
    if (this.#pieces % 3 === 0) log.nextIndex = last + 1;
    else super.committed(log, first, last, bytes);
  }
}

class EternalLease extends Lease {
  override get isFresh(): boolean {
    return true;
  }
}

class HastyJournal extends WatchedJournal {
  override open(run: Parameters<WatchedJournal["open"]>[0]): RunWriter {
    const writer = super.open(run);
    const commit = writer.commit.bind(writer);
    writer.commit = (changes, ending) => {
      const outcome = commit(changes, ending);
      return ending ? outcome : Promise.resolve({ kind: "committed", waiting: false, watched: false });
    };
    return writer;
  }
}

class RoomyJournal extends WatchedJournal {
  override room(): undefined {
    return undefined;
  }
}

const logsAfter = (change: (item: LogItem) => boolean): Variant => ({
  logs: (logs) => ({
    head: (key) => logs.head(key),
    async *follow(key, options) {
      for await (const item of logs.follow(key, options)) if (change(item)) yield item;
    },
  }),
});

export const plantedBugs: readonly PlantedBug[] = [
  {
    ...{ guarantee: "L1", bug: "a run that is taken over skips an index", checks: ["L1"] },
    variant: storeWith((store) => ({
      async claim(request) {
        const runs = await store.claim(request);
        return runs.map((run) => ({ ...run, nextIndex: run.nextIndex === 0 ? 0 : run.nextIndex + 1 }));
      },
    })),
  },
  {
    ...{ guarantee: "L2", bug: "a flush is reported as committed before its commit", checks: ["L2"] },
    variant: storeWith((store) => ({
      async append(writes) {
        const isPlain = writes.every((write) => write.kind === "run" && !write.transition);
        const real = store.append(writes);
        if (!isPlain) return real;
        real.catch(() => undefined);
        return writes.map(() => ({ kind: "committed", waiting: false, watched: false }));
      },
    })),
  },
  {
    ...{ guarantee: "L3", bug: "a follower reads events before it reads the head", checks: ["L3"] },
    variant: { logs: (_, process) => readsTooEarly(process) },
  },
  {
    ...{ guarantee: "L3", bug: "a live log drops a flush from memory", checks: ["L3"] },
    variant: { live: (settings, clock) => new LeakyLogs(settings, clock) },
  },
  {
    ...{ guarantee: "L4", bug: "events that are no longer kept are skipped without a gap", checks: ["L4"] },
    variant: logsAfter((item) => item.kind !== "gap"),
  },
  {
    ...{
      guarantee: "L5",
      bug: "a committed ending is reported as failed, and a second ending is accepted",
      checks: ["L5"],
    },
    variant: {
      facts: (facts) => ({
        ...facts,
        head(key) {
          const head = facts.head(key);
          return head && { ...head, status: isTerminal(head.status) ? "RUNNING" : head.status };
        },
      }),
      ...storeWith((store) => ({
        async append(writes) {
          const outcomes = await store.append(writes);
          return outcomes.map((outcome, place): Outcome => {
            const write = writes[place];
            const ended = write?.kind === "run" && write.transition?.to === "COMPLETED" && outcome.kind === "committed";
            return ended ? { kind: "failed", error: new Error("planted") } : outcome;
          });
        },
      })),
    },
  },
  {
    ...{ guarantee: "L6", bug: "a reader that leaves cancels its run", checks: ["L6"] },
    variant: {
      logs: (logs, process) => ({
        head: (key) => logs.head(key),
        follow(key, options) {
          const cancel = (): void => void process.store.requestCancel(key).catch(() => undefined);
          options.signal.addEventListener("abort", cancel, { once: true });
          return logs.follow(key, options);
        },
      }),
    },
  },
  {
    ...{ guarantee: "L7", bug: "a flush is not fenced by the attempt", checks: ["L7"] },
    variant: {
      facts: (facts, writes) => ({
        ...facts,
        head(key) {
          const head = facts.head(key);
          const write = writes.find((one) => one.kind === "run" && one.key === key);
          return head && { ...head, attempt: write?.kind === "run" ? write.attempt : head.attempt };
        },
      }),
    },
  },
  {
    ...{ guarantee: "L7", bug: "a lease never expires", checks: ["L7"] },
    variant: { lease: (parts) => new EternalLease(parts) },
  },
  {
    ...{ guarantee: "L8", bug: "a model never waits for the database", checks: ["L8"] },
    variant: { journal: (parts) => new RoomyJournal(parts) },
  },
  {
    ...{ guarantee: "L8", bug: "a live log has no bound in memory", checks: ["L8"] },
    variant: {
      live: (settings, clock) => new LiveLogs({ ...settings, maxRingBytes: 1e9, maxTotalRingBytes: 1e9 }, clock),
    },
  },
  {
    ...{
      guarantee: "no tool twice",
      bug: "an interrupted call of a tool that is not idempotent is repeated",
      checks: ["tool"],
    },
    variant: { tool: () => ({ idempotent: true }) },
  },
  {
    ...{ guarantee: "no tool twice", bug: "a tool starts before its ToolCallStarted is durable", checks: ["tool"] },
    variant: { journal: (parts) => new HastyJournal(parts) },
  },
  {
    ...{ guarantee: "session order", bug: "a run starts although its session is busy", checks: ["queue"] },
    variant: { facts: (facts) => ({ ...facts, isBusy: () => false }) },
  },
  {
    ...{ guarantee: "cancel", bug: "a run completes although a cancel was committed before", checks: ["cancel"] },
    variant: {
      facts: (facts) => ({
        ...facts,
        head(key) {
          const head = facts.head(key);
          return head && { ...head, cancelRequested: false };
        },
      }),
    },
  },
  {
    ...{
      guarantee: "messages",
      bug: "a run completes although it has not taken a message",
      checks: ["messages"],
    },
    variant: {
      facts: (facts) => ({
        ...facts,
        head(key) {
          const head = facts.head(key);
          return head && { ...head, steered: 0 };
        },
      }),
    },
  },
  {
    ...{ guarantee: "every run ends", bug: "no process takes over the runs of a dead process", checks: ["liveness"] },
    variant: storeWith((store) => ({ claim: (request) => store.claim({ ...request, orphans: false }) })),
  },
  {
    ...{ guarantee: "three takeovers", bug: "takeovers without progress are not counted", checks: ["takeovers"] },
    variant: storeWith((store) => ({
      claim: async (request) => (await store.claim(request)).map((run) => ({ ...run, stalledTakeovers: 0 })),
    })),
  },
  {
    ...{ guarantee: "limits", bug: "a process does not read the shared count before a request", checks: ["limit"] },
    variant: storeWith(() => ({ readUsage: async () => [] })),
  },
  {
    ...{ guarantee: "limits", bug: "the usage of a turn is counted twice", checks: ["usage"] },
    variant: storeWith((store) => ({
      append: (writes) => store.append(changedWrites(writes, ({ usage = [] }) => ({ usage: [...usage, ...usage] }))),
    })),
  },
  {
    ...{ guarantee: "versions", bug: "a run that is taken over uses the version of new runs", checks: ["version"] },
    variant: {
      versions: (versions, registry) =>
        Object.assign(Object.create(versions) as typeof versions, {
          open: () => versions.open(),
          start: () => versions.start(),
          close: () => versions.close(),
          named: versions.named.bind(versions),
          pinned: async (kind: "agent" | "team", id: string) => registry.find(kind, id),
        }),
    },
  },
  {
    ...{ guarantee: "session state", bug: "session state is stored only with the end of the run", checks: ["state"] },
    variant: storeWith((store) => ({
      append: (writes) =>
        store.append(
          changedWrites(writes, ({ transition, statePatch }) => ({ statePatch: transition ? statePatch : null })),
        ),
    })),
  },
];
