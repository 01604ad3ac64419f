/** Reads of owned data by every kind of principal. */
import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { noSource } from "../../src/model/memory.ts";
import { open, operator, type Principal, system } from "../../src/model/principal.ts";
import { defaultPlan } from "../../src/model/schedule/schedule.ts";
import { accessOf } from "../auth/support.ts";

import { eachDatabase } from "../support/databases.ts";
import { makePair } from "../support/tokens.ts";
import { create, isolated, openOn } from "./store-fixtures.ts";

/** The principal of a request without a token, on a server with user isolation. */
const outsider = accessOf({ verificationKeys: [makePair("RS256").pem], userIsolation: true }).outsider();

eachDatabase("reads of data that Alice owns", (openDatabase) => {
  /** Creates data of every type that Alice owns, and returns one read per type. A read returns how many items the caller sees. */
  async function readsOf() {
    const { store, schedules, access, approvals, tasks, overview, memories } = await openOn(await openDatabase());
    const runId = randomUUID();
    const of = { kind: "agent", componentId: "agent-1" } as const;
    const page = { limit: 9, offset: 0, maxBytes: 1_000 };
    await create(store, { runId, sessionId: "s", owner: "alice", userId: "alice" });
    const plan = { ...defaultPlan, name: "n", cronExpr: "@daily", endpoint: "/health" };
    const grant = { kind: "user", userId: "alice", scopes: [], mapping: 0, account: null } as const;
    const id = randomUUID();
    const times = { nextRunAt: null, fires: 0, failures: 0, createdAt: 1, updatedAt: null };
    const state = { enabled: true, disabledReason: null, platform: null };
    await schedules.create({ ...plan, ...times, ...state, id, owner: "alice", grant });
    const token = { tokenHash: randomUUID(), tokenPrefix: "agno_pat_1234567", scopes: [], claims: null };
    const dates = { createdAt: 1, expiresAt: null, lastUsedAt: null, revokedAt: null };
    await access.accounts.create(isolated("alice"), { id, name: "bot", ...token, ...dates, createdBy: "alice" });
    const accountQuery = { ...page, includeRevoked: true, sortBy: "createdAt", descending: false } as const;
    await memories.change("alice", [{ kind: "add", id, memory: "m", topics: ["t"], origin: "request", ...noSource }]);
    const memoryQuery = { sortBy: "updatedAt", descending: true, limit: 9, offset: 0 } as const;
    return {
      listMemories: async (caller: Principal) => (await memories.list(caller, memoryQuery)).total,
      searchMemories: async (caller: Principal) => (await memories.list(caller, { ...memoryQuery, text: "m" })).total,
      findMemory: async (caller: Principal) => ((await memories.find(caller, id)) ? 1 : 0),
      listTopics: async (caller: Principal) => (await memories.topics(caller)).length,
      listMemoryUsers: async (caller: Principal) => (await memories.users(caller, page)).total,
      findRun: async (caller: Principal) => ((await store.findRun(caller, runId)) ? 1 : 0),
      locateRun: async (caller: Principal) => ((await store.locateRun(caller, runId)) ? 1 : 0),
      listRuns: async (caller: Principal) => (await store.listRuns(caller, of)).length,
      findSession: async (caller: Principal) => ((await store.findSession(caller, "s")) ? 1 : 0),
      listSessions: async (caller: Principal) =>
        (await store.listSessions(caller, { ...page, sortBy: "createdAt", descending: true })).total,
      overview: async (caller: Principal) => (await overview.runs(caller, { limit: 9 })).runs.length,
      listTasks: async (caller: Principal) => (await tasks.list(caller, { ...of, limit: 9 })).tasks.length,
      findSchedule: async (caller: Principal) => ((await schedules.find(caller, id)) ? 1 : 0),
      listSchedules: async (caller: Principal) => (await schedules.list(caller, page)).total,
      listAccounts: async (caller: Principal) => (await access.accounts.list(caller, accountQuery)).total,
      listApprovals: async (caller: Principal) => (await approvals.list(caller, page)).total,
    };
  }

  test("the principals open, operator and system and Alice see all of it; Bob sees none of it; an outsider gets forbidden", async () => {
    const reads = Object.entries(await readsOf());
    for (const [name, read] of reads) {
      const one = name === "listApprovals" ? 0 : 1;
      const seen = await Promise.all([open, operator, system, isolated("alice"), isolated("bob")].map(read));
      expect([name, seen]).toEqual([name, [one, one, one, one, 0]]);
      await expect(read(outsider), name).rejects.toMatchObject({ code: "forbidden" });
    }
  });
});
