/** Learnings on both databases: whose they are, filters, pages, changes at the same time, and query plans. */
import type { CompiledQuery } from "kysely";
import { expect, test } from "vitest";
import { open, type Principal } from "../../src/model/principal.ts";
import type { LearningQuery, LearningStore, NewLearning } from "../../src/store/contract/learnings.ts";
import { learningStore } from "../../src/store/queries/learnings.ts";
import { eachDatabase } from "../support/databases.ts";
import { executeSql } from "../support/execute-sql.ts";
import { databaseIn, observed, planOf } from "./query-plans.ts";
import { openOn } from "./store-fixtures.ts";

const isolated = (userId: string, claims?: Principal["claims"]): Principal => ({
  ...{ kind: "user", userId, isAdmin: false, scopes: [], owner: userId },
  ...(claims && { claims }),
});

const learning = (learningId: string, more: Partial<NewLearning> = {}): NewLearning => ({
  ...{ learningId, owner: "", type: "decision_log", namespace: null, agentId: null, teamId: null },
  ...{ sessionId: null, entityId: null, entityType: null, content: `{"text":"${learningId}"}`, metadata: null },
  ...more,
});

const page: LearningQuery = { sortBy: "updatedAt", descending: true, limit: 100, offset: 0, maxBytes: 1e6 };

async function idsOf(store: LearningStore, caller: Principal, query: Partial<LearningQuery> = {}): Promise<string[]> {
  const { rows, total } = await store.list(caller, { ...page, ...query });
  if (!query.after && !query.offset && rows.length < page.limit) expect(total).toBeGreaterThanOrEqual(rows.length);
  return rows.map(({ learningId }) => learningId);
}

eachDatabase("learnings", (openDatabase) => {
  test("of a user are seen by the user and by callers who see all; those without a user are seen by everybody", async () => {
    const { learnings } = await openOn(await openDatabase());
    for (const owner of ["alice", "bob", ""])
      expect(await learnings.create(learning(`of ${owner || "all"}`, { owner, sessionId: "s" }))).toBe(true);
    expect((await idsOf(learnings, open)).sort()).toEqual(["of alice", "of all", "of bob"]);
    expect((await idsOf(learnings, isolated("alice"))).sort()).toEqual(["of alice", "of all"]);
    for (const filter of [{ sessionId: "s" }, { type: "decision_log" }, { sortBy: "createdAt" } as const])
      expect((await idsOf(learnings, isolated("alice"), filter)).sort()).toEqual(["of alice", "of all"]);
    expect(await idsOf(learnings, isolated("alice"), { userId: "bob" })).toEqual([]);
    expect(await idsOf(learnings, isolated("alice", { sessionId: "other" }))).toEqual([]);
    expect(await learnings.find(isolated("alice"), "of bob")).toEqual([]);
    expect(await learnings.find(isolated("alice", { sessionId: "other" }), "of alice")).toEqual([]);
    expect(await learnings.find(isolated("alice"), "of all")).toMatchObject([{ owner: "" }]);
    const users = { sortBy: "userId", descending: false, limit: 9, offset: 0 } as const;
    expect((await learnings.users(open, users)).rows.map(({ userId }) => userId)).toEqual(["alice", "bob"]);
    expect(await learnings.users(open, { ...users, limit: 1, offset: 1 })).toMatchObject({
      rows: [{ userId: "bob" }],
      total: 2,
    });
    expect(await learnings.users(open, { ...users, type: "none" })).toEqual({ rows: [], total: 0 });
  });

  test("of one id may belong to several users, and the caller's own comes first", async () => {
    const { learnings } = await openOn(await openDatabase());
    const same = { type: "session_context", sessionId: "s" };
    for (const owner of ["", "alice", "bob"])
      expect(await learnings.create(learning("context", { ...same, owner }))).toBe(true);
    expect(await learnings.create(learning("context", { ...same, owner: "bob" }))).toBe(false);
    expect((await learnings.find(isolated("bob"), "context")).map(({ owner }) => owner)).toEqual(["bob", ""]);
    expect((await learnings.find(open, "context", "alice")).map(({ owner }) => owner)).toEqual(["alice"]);
    expect(await learnings.update({ learningId: "context", owner: "bob" }, { content: '{"b":1}' })).toBe(true);
    expect((await learnings.find(open, "context", "alice"))[0]?.content).toBe('{"text":"context"}');
    expect(await learnings.remove({ learningId: "context", owner: "bob" })).toBe(true);
    expect(await learnings.remove({ learningId: "context", owner: "bob" })).toBe(false);
    expect(await learnings.update({ learningId: "context", owner: "bob" }, { content: "{}" })).toBe(false);
    expect(await learnings.find(isolated("bob"), "context")).toMatchObject([{ owner: "" }]);
  });

  test("are filtered by every member, and listed in pages in both orders", async () => {
    const database = await openDatabase();
    const { learnings } = await openOn(database);
    const members = { type: "t", namespace: "n", agentId: "a", teamId: "m", sessionId: "s" } as const;
    await learnings.create(learning("full", { ...members, owner: "u", entityId: "e", entityType: "k" }));
    for (let n = 0; n < 7; n++) await learnings.create(learning(`l${n}`, { agentId: n % 2 ? "odd" : "even" }));
    const filters = { ...members, userId: "u", entityId: "e", entityType: "k" };
    for (const [name, value] of Object.entries(filters)) {
      expect([name, await idsOf(learnings, open, { [name]: value })]).toEqual([name, ["full"]]);
      expect([name, await idsOf(learnings, open, { [name]: "other" })]).toEqual([name, []]);
    }
    expect(await idsOf(learnings, open, filters)).toEqual(["full"]);
    for (let n = 0; n < 7; n++)
      await executeSql(
        database,
        `update learnings set created_at = ${9 - n}, updated_at = ${n} where learning_id = 'l${n}'`,
      );
    const odd = { agentId: "odd", limit: 2 };
    expect(await idsOf(learnings, open, odd)).toEqual(["l5", "l3"]);
    expect(await idsOf(learnings, open, { ...odd, offset: 2 })).toEqual(["l1"]);
    expect(await idsOf(learnings, open, { ...odd, descending: false })).toEqual(["l1", "l3"]);
    expect(await idsOf(learnings, open, { ...odd, sortBy: "createdAt" })).toEqual(["l1", "l3"]);
    const place = { learningId: "l3", owner: "" };
    expect(await idsOf(learnings, open, { ...odd, after: { ...place, at: 3 } })).toEqual(["l1"]);
    expect(await idsOf(learnings, open, { ...odd, descending: false, after: { ...place, at: 3 } })).toEqual(["l5"]);
    expect(await idsOf(learnings, open, { ...odd, sortBy: "createdAt", after: { ...place, at: 6 } })).toEqual(["l5"]);
    expect((await learnings.list(open, { ...page, ...odd, after: { ...place, at: 3 } })).total).toBe(3);
    const small = await learnings.list(open, { ...page, agentId: "even", maxBytes: 30 });
    expect(small.rows.map(({ content }) => content !== null)).toEqual([true, true, false, false]);
  });

  test("are changed by several transactions at once without losing a change", async () => {
    const { learnings } = await openOn(await openDatabase());
    const place = learning("memories_u", { owner: "u", type: "user_memory" });
    const add = (n: number) =>
      learnings.put(place, (content) => JSON.stringify([...(content ? (JSON.parse(content) as number[]) : []), n]));
    expect(await Promise.all(Array.from({ length: 12 }, (_, n) => add(n)))).toEqual(Array(12).fill(true));
    const [stored] = await learnings.find(open, "memories_u");
    expect((JSON.parse(stored?.content ?? "") as number[]).sort((a, b) => a - b)).toEqual([...Array(12).keys()]);
    expect(await learnings.put(place, () => undefined)).toBe(false);
    expect(await learnings.put({ ...place, metadata: '{"m":1}' }, (content) => content)).toBe(true);
    expect(await learnings.find(open, "memories_u")).toMatchObject([{ metadata: '{"m":1}' }]);
  });

  test("of a run are those of its user and those without a user", async () => {
    const { learnings } = await openOn(await openDatabase());
    const shared = { type: "learned_knowledge", namespace: "global" };
    for (const owner of ["alice", "bob", ""]) {
      await learnings.create(learning("context", { owner, type: "session_context" }));
      await learnings.create(learning(`known to ${owner}`, { owner, ...shared }));
    }
    await learnings.create(learning("elsewhere", { ...shared, namespace: "other" }));
    const wanted = { ids: ["context"], shared: [{ ...shared, limit: 5 }] };
    const read = async (owner: string) =>
      (await learnings.forRun({ owner, ...wanted })).map((one) => `${one.learningId}/${one.owner}`).sort();
    expect(await read("alice")).toEqual(["context/", "context/alice", "known to /", "known to alice/alice"]);
    expect(await read("")).toEqual(["context/", "known to /"]);
    expect(await learnings.forRun({ owner: "alice", ids: [], shared: [] })).toEqual([]);
  });

  test("of a user are removed in batches, of one type or of all", async () => {
    const { learnings } = await openOn(await openDatabase());
    for (const [owner, type] of [
      ["u", "a"],
      ["u", "b"],
      ["v", "a"],
      ["", "a"],
    ] as const)
      await learnings.create(learning(`${owner}${type}`, { owner, type }));
    expect(await learnings.removeSome("u", "a")).toBe(1);
    expect(await learnings.removeSome("u", undefined)).toBe(1);
    expect(await learnings.removeSome("u", undefined)).toBe(0);
    expect((await idsOf(learnings, open)).sort()).toEqual(["a", "va"]);
  });

  test("are read by indexes, whatever the filter", async () => {
    const database = await openDatabase();
    const opened = await databaseIn(database);
    const plansOf = async (query: (store: LearningStore) => Promise<unknown>): Promise<string> => {
      const seen: CompiledQuery[] = [];
      await query(learningStore(observed(opened, seen)));
      const first = ["set enable_seqscan = off", "set enable_bitmapscan = off"];
      return (await Promise.all(seen.map((statement) => planOf(database, statement, first)))).join("\n");
    };
    const listed = (caller: Principal, filter: Partial<LearningQuery>): Promise<string> =>
      plansOf((store) => store.list(caller, { ...page, ...filter }));
    const cases = [
      [open, {}, "learnings_updated"],
      [open, { sortBy: "createdAt" }, "learnings_updated"],
      [open, { type: "t", namespace: "n" }, "learnings_type"],
      [open, { userId: "u", type: "t" }, "learnings_owner"],
      [open, { sessionId: "s", userId: "u" }, "learnings_session"],
      [open, { entityId: "e" }, "learnings_entity"],
      [open, { agentId: "a" }, "learnings_agent"],
      [open, { teamId: "m" }, "learnings_team"],
      [isolated("u"), {}, "learnings_owner"],
      [isolated("u"), { type: "t" }, "learnings_owner"],
      [isolated("u"), { sessionId: "s" }, "learnings_session"],
    ] as const;
    for (const [caller, filter, index] of cases) {
      const plan = await listed(caller, filter);
      expect([filter, plan.includes(index)]).toEqual([filter, true]);
      expect([filter, /SCAN learnings(?! USING)/.test(plan)]).toEqual([filter, false]);
    }
    expect(await plansOf((store) => store.find(isolated("u"), "x"))).toMatch(/learnings_pkey|autoindex_learnings_1/);
    const forRun = await plansOf((store) =>
      store.forRun({ owner: "u", ids: ["x"], shared: [{ type: "t", namespace: "n", limit: 5 }] }),
    );
    expect(forRun).toMatch(/learnings_pkey|autoindex_learnings_1/);
    expect(forRun).toContain("learnings_shared");
    expect(await plansOf((store) => store.removeSome("u", undefined))).toContain("learnings_owner");
  });
});
