/** Listings of runs and sessions: filters, order and pages. Also marks and the texts of listed runs. */
import { expect, test } from "vitest";
import type { SessionQuery } from "../../src/store/contract/sessions.ts";
import type { RunPosition, Store } from "../../src/store/contract/store.ts";
import { create, creation, eachStore, everybody, isolated, openOn, segment, to, write } from "./store-fixtures.ts";

const component = { kind: "agent", componentId: "agent-1" } as const;
const sessions = { sortBy: "createdAt", descending: true, limit: 20, offset: 0, maxBytes: 1_000 } as const;

eachStore("a listing of runs", (openDatabase) => {
  test("sorts by time across sessions, ascending or descending, and its pages of any size add up to the whole list", async () => {
    const { store } = await openOn(await openDatabase());
    // The keys of runs from two processes are not in the order of their times.
    for (const [place, createdAt] of [5, 3, 9, 3, 7].entries()) {
      await create(store, { runId: `r${place}`, sessionId: `s${place}`, createdAt });
    }
    const all = ["r1", "r3", "r0", "r4", "r2"];
    const pagesOf = async (limit: number, descending: boolean): Promise<string[]> => {
      const seen: string[] = [];
      for (let after: RunPosition | undefined; ; ) {
        const page = await store.listRuns(everybody, { ...component, limit, descending, after });
        seen.push(...page.map(({ runId }) => runId));
        if (page.length < limit) return seen;
        after = page.at(-1) as RunPosition;
      }
    };
    for (const limit of [1, 2, 3, 10]) {
      expect(await pagesOf(limit, false)).toEqual(all);
      expect(await pagesOf(limit, true)).toEqual(all.toReversed());
    }
  });

  test("filters by user, time and status", async () => {
    const { store } = await openOn(await openDatabase());
    const keys = new Map<string, number>();
    for (const [runId, userId, createdAt] of [
      ["a", "anna", 1],
      ["b", "ben", 2],
      ["c", "anna", 3],
      ["d", null, 4],
    ] as const) {
      keys.set(runId, await create(store, { runId, userId, createdAt, sessionId: runId }));
    }
    await store.append([
      write(keys.get("b")!, { transition: to("COMPLETED") }),
      write(keys.get("c")!, { transition: to("PAUSED") }),
    ]);
    const idsOf = async (query: object) =>
      (await store.listRuns(everybody, { ...component, ...query })).map(({ runId }) => runId);
    expect(await idsOf({ userId: "anna" })).toEqual(["a", "c"]);
    expect(await idsOf({ createdAfter: 1, createdBefore: 4 })).toEqual(["b", "c"]);
    expect(await idsOf({ statuses: ["RUNNING"] })).toEqual(["a", "d"]);
    expect(await idsOf({ statuses: ["PAUSED", "RUNNING"] })).toEqual(["a", "c", "d"]);
    expect(await idsOf({ statuses: ["PAUSED", "COMPLETED"] })).toEqual(["b", "c"]);
    expect(await idsOf({ statuses: ["REGENERATED"] })).toEqual([]);
    expect(await idsOf({ statuses: ["REGENERATED", "COMPLETED"] })).toEqual(["b"]);
    expect(await idsOf({ statuses: ["RUNNING"], userId: "anna", limit: 1 })).toEqual(["a"]);
  });
});

eachStore("sessions", (openDatabase) => {
  const idsOf = async (store: Store, query: Partial<SessionQuery>, caller = everybody) => {
    const { rows, total } = await store.listSessions(caller, { ...sessions, ...query });
    return { ids: rows.map(({ sessionId }) => sessionId), total };
  };

  test("are filtered by kind, component, user and name, where the title from the first run counts as a name", async () => {
    const { store } = await openOn(await openDatabase());
    await create(store, { sessionId: "one", createdAt: 1, sessionTitle: "Tell me 100% of it" });
    await create(store, { sessionId: "one", createdAt: 9, sessionTitle: "and more" });
    await create(store, {
      sessionId: "two",
      createdAt: 2,
      kind: "team",
      componentId: "t",
      sessionTitle: "100 of them",
    });
    await store.createSession({
      ...{ sessionId: "three", owner: "", kind: "agent", componentId: "agent-1", userId: "ben" },
      ...{ name: "Ääh NAMED", state: "{}", metadata: null, createdAt: 3 },
    });
    expect(await idsOf(store, {})).toEqual({ ids: ["three", "two", "one"], total: 3 });
    expect(await idsOf(store, { descending: false, limit: 2 })).toEqual({ ids: ["one", "two"], total: 3 });
    expect(await idsOf(store, { limit: 2, offset: 2 })).toEqual({ ids: ["one"], total: 3 });
    expect(await idsOf(store, { sortBy: "updatedAt", limit: 1 })).toEqual({ ids: ["one"], total: 3 });
    expect(await idsOf(store, { kind: "team" })).toEqual({ ids: ["two"], total: 1 });
    expect(await idsOf(store, { componentId: "agent-1" })).toEqual({ ids: ["three", "one"], total: 2 });
    expect(await idsOf(store, { userId: "ben" })).toEqual({ ids: ["three"], total: 1 });
    expect((await idsOf(store, { name: "100%" })).ids).toEqual(["one"]);
    expect((await idsOf(store, { name: "tell ME" })).ids).toEqual(["one"]);
    expect((await idsOf(store, { name: "and more" })).ids).toEqual([]);
    expect((await idsOf(store, { name: "Ääh named" })).ids).toEqual(["three"]);
    expect((await idsOf(store, { name: "äÄH" })).ids).toEqual([]);
    expect((await idsOf(store, { name: "_" })).ids).toEqual([]);
  });

  test("of other owners are not listed for a caller with a name space", async () => {
    const { store } = await openOn(await openDatabase());
    await create(store, { sessionId: "s", owner: "anna" });
    await create(store, { sessionId: "s", owner: "ben" });
    expect(await idsOf(store, {}, isolated("anna"))).toEqual({ ids: ["s"], total: 1 });
    expect(await idsOf(store, {}, isolated("carl"))).toEqual({ ids: [], total: 0 });
  });

  test("can be created once per owner and id, are updated in part, and get their title from the first run", async () => {
    const { store } = await openOn(await openDatabase());
    const made = {
      ...({ sessionId: "s", owner: "", kind: "agent", componentId: "", userId: null, name: null } as const),
      ...{ state: '{"a":1}', metadata: '{"m":1}', createdAt: 5 },
    };
    expect(await store.createSession(made)).toBe(true);
    expect(await store.createSession(made)).toBe(false);
    expect(await store.createSession({ ...made, owner: "anna" })).toBe(true);
    const { key } = (await store.findSession(everybody, "s"))!;
    expect(await store.updateSession(key, { name: "n", summary: '{"s":1}' }, 7)).toBe(true);
    expect(await store.updateSession(999, { name: "n" }, 7)).toBe(false);
    await create(store, { sessionId: "s", sessionTitle: "first", createdAt: 8 });
    await create(store, { sessionId: "s", sessionTitle: "second", createdAt: 9 });
    expect(await store.findSession(everybody, "s")).toMatchObject({
      ...{ name: "n", title: "first", state: '{"a":1}', metadata: '{"m":1}', summary: '{"s":1}' },
      ...{ createdAt: 5, updatedAt: 9, componentId: "" },
    });
    expect((await store.listRuns(everybody, { ...component, sessionId: "s" })).length).toBe(2);
  });

  test("sum up the tokens of their ended runs by model, without those of a pause", async () => {
    const { store } = await openOn(await openDatabase());
    const first = await create(store, { policy: "parallel" });
    const second = await create(store, { policy: "parallel" });
    const usage = (id: string, input: number) => [
      { id, provider: "p", input_tokens: input, output_tokens: 1, total_tokens: input + 1 },
    ];
    await store.append([
      write(first, { transition: { ...to("PAUSED"), usage: usage("m", 100) } }),
      write(second, { transition: { ...to("COMPLETED"), usage: [...usage("m", 5), ...usage("n", 1)] } }),
    ]);
    const [third, fourth] = [await create(store, { policy: "parallel" }), await create(store, { policy: "parallel" })];
    await store.append([
      write(third, { transition: { ...to("ERROR"), usage: usage("m", 10) } }),
      write(fourth, { transition: to("COMPLETED") }),
    ]);
    expect(JSON.parse((await store.findSession(everybody, "s"))!.usage!)).toEqual([
      { id: "m", provider: "p", input_tokens: 15, output_tokens: 2, total_tokens: 17 },
      { id: "n", provider: "p", input_tokens: 1, output_tokens: 1, total_tokens: 2 },
    ]);
  });

  test("are listed without their texts where these exceed the bytes that the page has left", async () => {
    const { store } = await openOn(await openDatabase(), { keyProvider: undefined });
    for (const [place, length] of [400, 700, 500].entries()) {
      const made = { owner: "", kind: "agent", componentId: "", userId: null, name: null, metadata: null } as const;
      const state = JSON.stringify({ text: "ü".repeat(length / 2 - 10) });
      await store.createSession({ ...made, sessionId: `s${place}`, state, createdAt: place });
    }
    const { rows } = await store.listSessions(everybody, { ...sessions, descending: false });
    expect(rows.map(({ sessionId, state }) => [sessionId, state !== null])).toEqual([
      ["s0", true],
      ["s1", false],
      ["s2", true],
    ]);
  });

  test("list their runs in the order of the queue, with pages, times and statuses", async () => {
    const { store } = await openOn(await openDatabase());
    const writes = [1, 2, 3, 4].map(async (createdAt) => {
      const key = await store.nextRunKey();
      return {
        kind: "create",
        key,
        run: creation({ createdAt, runId: `r${createdAt}`, componentId: `c${createdAt}` }),
      } as const;
    });
    await store.append(await Promise.all(writes));
    const sessionKey = (await store.findSession(everybody, "s"))!.key;
    const idsIn = async (query: object) =>
      (await store.sessionRuns({ sessionKey, limit: 10, ...query })).map(({ runId }) => runId);
    expect(await idsIn({})).toEqual(["r1", "r2", "r3", "r4"]);
    expect(await idsIn({ limit: 2, after: { sessionSeq: 0 } })).toEqual(["r2", "r3"]);
    expect(await idsIn({ descending: true, after: { sessionSeq: 3 } })).toEqual(["r3", "r2", "r1"]);
    expect(await idsIn({ createdAfter: 1, createdBefore: 4 })).toEqual(["r2", "r3"]);
    expect(await idsIn({ statuses: ["PENDING", "PAUSED"] })).toEqual(["r2", "r3", "r4"]);
    expect(await idsIn({ statuses: ["RUNNING", "REGENERATED"], descending: true })).toEqual(["r1"]);
    expect(await idsIn({ statuses: ["REGENERATED"] })).toEqual([]);
    expect(await idsIn({ sessionKey: 999 })).toEqual([]);
  });
});

eachStore("marks", (openDatabase) => {
  const mark = (runKey: number, name: string, body = `"${name}"`) => ({ runKey, name, createdAt: 5, body });

  test("are committed with their run's write if its attempt is valid; the first mark of a name stays; they are deleted with the run", async () => {
    const { store } = await openOn(await openDatabase());
    const [one, other] = [await create(store), await create(store, { sessionId: "t" })];
    await store.append([write(one, { marks: [mark(one, "b"), mark(one, "a")] })]);
    await store.append([
      write(one, { marks: [mark(one, "a", '"again"'), mark(one, "A")] }),
      write(other, { attempt: 7, marks: [mark(other, "lost")] }),
    ]);
    expect(await store.marks([other, one, one])).toEqual([mark(one, "A"), mark(one, "a"), mark(one, "b")]);
    expect(await store.marks([])).toEqual([]);
    await store.append([write(one, { transition: to("COMPLETED") })]);
    expect(await store.deleteRun(one)).toBe(true);
    expect(await store.marks([one])).toEqual([]);
  });

  test("of an answer are stored when a paused run is continued: one of three concurrent continues succeeds, and only for the latest attempt", async () => {
    const { store } = await openOn(await openDatabase());
    const key = await create(store);
    const waiting = await create(store);
    expect(await store.continueRun(key, 1, [mark(key, "early")])).toBe(false);
    await store.append([write(key, { transition: to("PAUSED") })]);
    expect(await store.continueRun(key, 2, [mark(key, "stale")])).toBe(false);
    const answers = [1, 2, 3].map((n) => store.continueRun(key, 1, [mark(key, "answer", `${n}`)]));
    expect((await Promise.all(answers)).filter(Boolean)).toHaveLength(1);
    expect((await store.marks([key])).map(({ name }) => name)).toEqual(["answer"]);
    expect(await store.head(key)).toMatchObject({ status: "PENDING" });
    // The continued run is claimed before later runs of its session.
    const [claimed] = await store.claim({ owner: "p2", slots: 1, orphans: false });
    expect(claimed).toMatchObject({ key, attempt: 2 });
    expect(await store.head(waiting)).toMatchObject({ status: "PENDING" });
  });

  test("of an answer are not stored, and the run is not continued, if it has a cancel request", async () => {
    const { store } = await openOn(await openDatabase());
    const key = await create(store);
    await store.append([write(key, { transition: to("PAUSED") })]);
    await store.requestCancel(key);
    expect(await store.continueRun(key, 1, [mark(key, "answer")])).toBe(false);
    expect(await store.marks([key])).toEqual([]);
  });
});

eachStore("texts of listed runs", (openDatabase) => {
  const media = (data: string) => [{ kind: "image", mediaType: "image/png", filename: 'a"data":"b', data }];
  const large = media("A".repeat(20_000));
  const asked = (files: readonly object[]) => JSON.stringify({ message: 'say "data":"x"', media: files });

  test("have no media bytes, and listedBytes counts them without", async () => {
    const { store } = await openOn(await openDatabase(), { keyProvider: undefined });
    const key = await create(store, { input: asked(large) });
    const body = JSON.stringify({ role: "user", content: '"media":[', media: large });
    const other = JSON.stringify({ role: "assistant", content: "", toolCalls: [{ input: { media: large } }] });
    const message = { runKey: key, position: 0, id: "m", createdAt: 1, body };
    const member = {
      ...creation({ input: asked(large) }),
      key: await store.nextRunKey(),
      parentKey: key,
      toolCallId: "c",
    };
    const messages = [message, { ...message, position: 1, body: other }];
    await store.append([write(key, { messages, members: [member], segment: segment(0, 0) })]);

    const [root, listedMember] = await store.listedRuns([key], "members");
    expect([root?.input, listedMember?.input]).toEqual([asked(media("")), asked(media(""))]);
    expect(await store.listedRuns([key], "roots")).toEqual([root]);
    const brief = JSON.stringify({ role: "user", content: '"media":[', media: media("") });
    expect((await store.messages([key], true)).map((row) => row.body)).toEqual([brief, other]);
    expect((await store.messages([key])).map((row) => row.body)).toEqual([body, other]);
    expect((await store.memberRuns([key])).map(({ input }) => input)).toEqual([asked(large)]);
    const bytes = Buffer.byteLength(asked(media(""))) + 2 + brief.length + other.length;
    expect(await store.listedBytes([key], "roots")).toEqual(new Map([[key, bytes]]));
    const ofMember = Buffer.byteLength(asked(media(""))) + 2;
    expect(await store.listedBytes([key], "members")).toEqual(new Map([[key, bytes + ofMember]]));
  });

  test("equal the stored texts if these are short", async () => {
    const { store } = await openOn(await openDatabase());
    const key = await create(store, { input: asked(media("AAAA")) });
    expect((await store.listedRuns([key, 999], "members")).map(({ input }) => input)).toEqual([asked(media("AAAA"))]);
    expect(await store.listedRuns([], "members")).toEqual([]);
    expect(await store.listedBytes([], "members")).toEqual(new Map());
  });
});
