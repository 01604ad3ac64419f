/** A claimed run whose stored options cannot be read. */
import { expect, test } from "vitest";
import { Registry } from "../../src/define/registry.ts";
import { Components } from "../../src/engine/components.ts";
import { ToolServers } from "../../src/engine/mcp/tool-servers.ts";
import { PriceBook } from "../../src/engine/model-call/prices.ts";
import { Lease } from "../../src/engine/process/lease.ts";
import { LiveRuns } from "../../src/engine/process/live-runs.ts";
import { RunMemory } from "../../src/engine/process/run-memory.ts";
import { AnsweredRuns } from "../../src/engine/run/answered-runs.ts";
import { execute } from "../../src/engine/run/execute.ts";
import { Journal } from "../../src/events/journal.ts";
import { LiveLogs } from "../../src/events/live-log.ts";
import { defaultSettings as settings } from "../../src/model/settings.ts";
import { localSignals } from "../../src/store/sqlite/signals.ts";
import { LogStore } from "../support/log-store.ts";
import { testRuntime as runtime, silentLog } from "../support/runtime.ts";

test("a run with unreadable options ends as ERROR, with one RunError that does not show them [L5] [E10]", async () => {
  const fake = new LogStore();
  fake.statusOf.set(7, "RUNNING");
  const signals = localSignals(silentLog);
  const live = new LiveLogs(settings, runtime.clock);
  const journal = new Journal({ store: fake.store, signals, runtime, settings, live });
  const lease = new Lease({ store: fake.store, runtime, settings, processId: "here" });
  const registry = new Registry({ agents: [], teams: [] });
  const parts = {
    store: fake.store,
    signals,
    journal,
    lease,
    memory: new RunMemory({ maxBytes: 1e9, clock: runtime.clock }),
    answered: new AnsweredRuns(),
    registry,
    components: new Components({ registry, modelSources: { environment: {}, folder: "/nowhere" }, settings, runtime }),
    toolServers: new ToolServers({ runtime, settings }),
    learnings: { forRun: () => Promise.resolve([]), put: () => Promise.resolve(false) },
    runtime,
    settings,
    limits: undefined,
    memories: { store: { latest: async () => [], change: async () => undefined }, wake: () => undefined },
    wakeCitations: () => undefined,
    searchKnowledge: async () => [],
    prices: new PriceBook(false, runtime),
    role: "all",
    processId: "here",
  } as const;
  const runs = new LiveRuns();
  await execute(parts, runs, {
    ...{ key: 7, runId: "r", kind: "agent", componentId: "a", sessionKey: 1, sessionId: "s", sessionSeq: 0 },
    ...{ userId: null, input: "{}", options: "{ this is no JSON", definitionHash: "", attempt: 1, stalledTakeovers: 0 },
    ...{ nextIndex: 0, steered: 0, cancelRequested: false, background: false, createdAt: 0, sessionState: "{}" },
  });
  expect(fake.statusOf.get(7)).toBe("ERROR");
  const [only, ...more] = fake.segmentsOf.get(7) ?? [];
  expect(more).toEqual([]);
  expect(only?.frames.toString()).toMatch(
    /^event: RunError\ndata: .*"A stored value of the run or its session cannot be read \([-\w]+\)\."/,
  );
  expect(runs.size).toBe(0);
});
