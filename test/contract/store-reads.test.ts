import { expect, test } from "vitest";
import type { MemberCreation, RunPosition } from "../../src/store/contract/store.ts";
import {
  create,
  createEnded,
  eachStore,
  everybody,
  isolated,
  openOn,
  put,
  segment,
  to,
  write,
} from "./store-fixtures.ts";

const component = { kind: "agent", componentId: "agent-1" } as const;

function message(runKey: number, position: number, body = `"${runKey}/${position}"`) {
  return { runKey, position, id: `m${position}`, createdAt: 1_000 + position, body };
}

eachStore("reads", (openDatabase, kind) => {
  test("findRun returns a run as it was created, and its output and status after its end", async () => {
    const { store } = await openOn(await openDatabase());
    const key = await create(store, { runId: "r", userId: null, model: null });
    const sessionKey = (await store.findSession(everybody, "s"))!.key;
    const made = {
      key,
      runId: "r",
      rootKey: key,
      parentKey: null,
      parentRunId: null,
      kind: "agent",
      componentId: "agent-1",
      componentName: "Agent One",
      sessionKey,
      sessionId: "s",
      owner: "",
      sessionSeq: 0,
      userId: null,
      input: '{"message":"hello"}',
      options: "{}",
      output: null,
      model: null,
      modelProvider: "provider-1",
      createdAt: 1_000,
      status: "RUNNING",
      replacedBy: null,
      toolCallId: null,
    };
    expect(await store.findRun(everybody, "r")).toEqual(made);
    await put(store, write(key, { transition: to("COMPLETED") }));
    expect(await store.findRun(everybody, "r")).toEqual({
      ...made,
      status: "COMPLETED",
      output: to("COMPLETED").output,
    });
    expect(await store.findRun(everybody, "R")).toBeUndefined();
    expect(await store.findRun(everybody, "r\u0000")).toBeUndefined();
  });

  test("a caller with a name space reads only runs and sessions of that name space", async () => {
    const { store } = await openOn(await openDatabase());
    const [anna, ben] = [isolated("anna"), isolated("ben")];
    await create(store, { runId: "of-anna", owner: "anna" });
    await create(store, { runId: "of-ben", owner: "ben" });
    await create(store, { runId: "of-all" });
    for (const [caller, seen] of [
      [anna, ["of-anna"]],
      [ben, ["of-ben"]],
      [everybody, ["of-anna", "of-ben", "of-all"]],
    ] as const) {
      for (const runId of ["of-anna", "of-ben", "of-all"]) {
        expect((await store.findRun(caller, runId))?.runId).toBe(seen.find((id) => id === runId));
      }
      const bySession = await store.listRuns(caller, { ...component, sessionId: "s" });
      expect(bySession.map((run) => run.runId)).toEqual(seen);
      const all = await store.listRuns(caller, component);
      expect(all.map((run) => run.runId)).toEqual(seen);
    }
    expect(await store.findSession(anna, "s")).toMatchObject({ owner: "anna" });
    expect(await store.findSession(ben, "s")).toMatchObject({ owner: "ben" });
    expect(await store.findSession(everybody, "s")).toMatchObject({ owner: "" });
    expect(await store.findSession(isolated("carl"), "s")).toBeUndefined();
    expect(await store.findSession(isolated(""), "other")).toBeUndefined();
  });

  test("listRuns with a session returns the component's runs in the order of the session, with pages and statuses", async () => {
    const { store } = await openOn(await openDatabase());
    const first = await createEnded(store);
    const second = await create(store);
    const third = await create(store);
    await create(store, { componentId: "agent-2" });
    await create(store, { kind: "team" });
    await create(store, { sessionId: "other" });
    const keysOf = async (query: object) =>
      (await store.listRuns(everybody, { ...component, sessionId: "s", ...query })).map((run) => run.key);
    expect(await keysOf({})).toEqual([first, second, third]);
    expect(await keysOf({ statuses: ["PENDING", "COMPLETED"] })).toEqual([first, third]);
    expect(await keysOf({ statuses: [] })).toEqual([]);
    expect(await keysOf({ limit: 2 })).toEqual([first, second]);
    const [one, , three] = (await store.listRuns(everybody, {
      ...component,
      sessionId: "s",
    })) as readonly RunPosition[];
    expect(await keysOf({ limit: 2, after: one })).toEqual([second, third]);
    expect(await keysOf({ limit: 2, descending: true, after: three })).toEqual([second, first]);
    expect(await keysOf({ after: three })).toEqual([]);
    expect(await keysOf({ sessionId: "none" })).toEqual([]);
    expect((await store.listRuns(everybody, { ...component, limit: 3 })).length).toBe(3);
    expect((await store.listRuns(everybody, { ...component, after: three! })).map((run) => run.sessionId)).toEqual([
      "other",
    ]);
    const sessionKey = (await store.findSession(everybody, "s"))!.key;
    expect(await store.sessionRunKeys(sessionKey)).toHaveLength(5);
  });

  test("identifiers that differ only in case, accents or spaces are distinct", async () => {
    const { store } = await openOn(await openDatabase());
    const ids = ["a", "A", "ä", "a\u0308", "a ", "ⓐ"];
    for (const sessionId of ids) await create(store, { sessionId, runId: `run ${sessionId}` });
    for (const sessionId of ids) {
      expect(await store.findSession(everybody, sessionId)).toMatchObject({ sessionId });
      expect(await store.findRun(everybody, `run ${sessionId}`)).toMatchObject({ sessionId });
    }
  });

  test("messages returns the messages of 120 runs by run and position", async () => {
    const { store } = await openOn(await openDatabase());
    const keys: number[] = [];
    for (let n = 0; n < 120; n++) {
      const key = await create(store, { sessionId: `s${n}` });
      await put(store, write(key, { messages: [message(key, 1), message(key, 0)] }));
      keys.push(key);
    }
    const expected = keys.flatMap((key) => [message(key, 0), message(key, 1)]);
    expect(await store.messages([...keys].reverse())).toEqual(expected);
    expect(await store.messages([keys[3]!, keys[3]!])).toEqual(expected.slice(6, 8));
    expect(await store.messages([])).toEqual([]);
  });

  test("history returns the messages of the component's latest completed runs before a position in the session", async () => {
    const { store } = await openOn(await openDatabase());
    const runs: number[] = [];
    for (const status of ["COMPLETED", "ERROR", "COMPLETED", "CANCELLED", "COMPLETED"] as const) {
      const key = await create(store);
      const child: MemberCreation = {
        ...{
          key: await store.nextRunKey(),
          runId: `member ${key}`,
          parentKey: key,
          kind: "agent",
          componentId: "agent-1",
        },
        ...{
          componentName: "Member",
          userId: null,
          input: "{}",
          model: null,
          modelProvider: null,
          createdAt: 1,
          toolCallId: null,
        },
      };
      const messages = [message(key, 0), message(key, 1), message(child.key, 0)];
      await put(store, write(key, { members: [child], messages, transition: to(status) }));
      runs.push(key);
    }
    const other = await createEnded(store, { componentId: "agent-2" });
    const session = (await store.findSession(everybody, "s"))!;
    const history = async (beforeSeq: number, count: number) =>
      (await store.history({ key: session.key, beforeSeq }, { kind: "agent", id: "agent-1" }, count)).map((row) => [
        row.runKey,
        row.position,
      ]);
    const said = (key: number) => [
      [key, 0],
      [key, 1],
    ];
    expect(await history(99, 9)).toEqual([...said(runs[0]!), ...said(runs[2]!), ...said(runs[4]!)]);
    expect(await history(99, 2)).toEqual([...said(runs[2]!), ...said(runs[4]!)]);
    expect(await history(4, 2)).toEqual([...said(runs[0]!), ...said(runs[2]!)]);
    expect(await history(0, 2)).toEqual([]);
    expect(await store.history({ key: session.key, beforeSeq: 99 }, { kind: "team", id: "agent-1" }, 9)).toEqual([]);
    expect(other).toBeGreaterThan(0);
  });

  test("memberRuns returns the members of 120 runs", async () => {
    const { store } = await openOn(await openDatabase());
    const keys: number[] = [];
    const members: string[] = [];
    for (let n = 0; n < 120; n++) {
      const key = await create(store, { sessionId: `s${n}` });
      const child = {
        key: await store.nextRunKey(),
        runId: `member ${n}`,
        parentKey: key,
        kind: "agent",
        componentId: "m",
        componentName: "M",
      } as const;
      await put(
        store,
        write(key, {
          members: [
            { ...child, userId: null, input: "{}", model: null, modelProvider: null, createdAt: 1, toolCallId: null },
          ],
        }),
      );
      keys.push(key);
      members.push(child.runId);
    }
    expect((await store.memberRuns(keys)).map((run) => run.runId)).toEqual(members);
    expect(await store.memberRuns([])).toEqual([]);
  });

  test("deleteRun deletes an ended run with its members, messages and log, and no other run", async () => {
    const { store } = await openOn(await openDatabase());
    const key = await create(store, { runId: "gone" });
    const child = {
      key: await store.nextRunKey(),
      runId: "gone too",
      parentKey: key,
      kind: "agent",
      componentId: "m",
      componentName: "M",
    } as const;
    await put(
      store,
      write(key, {
        segment: segment(0, 3),
        messages: [message(key, 0), message(child.key, 0)],
        members: [
          { ...child, userId: null, input: "{}", model: null, modelProvider: null, createdAt: 1, toolCallId: null },
        ],
      }),
    );
    expect(await store.deleteRun(key)).toBe(false);
    await put(store, write(key, { transition: to("PAUSED") }));
    expect(await store.deleteRun(key)).toBe(false);
    const kept = await create(store, { runId: "kept" });
    await put(store, write(kept, { segment: segment(0, 1), messages: [message(kept, 0)] }));
    await store.requestCancel(key);
    await store.claim({ owner: "p2", slots: 1, orphans: false, key });
    await put(store, write(key, { attempt: 2, transition: to("CANCELLED") }));
    expect(await store.deleteRun(key)).toBe(true);
    expect(await store.deleteRun(key)).toBe(true);
    expect(await store.findRun(everybody, "gone")).toBeUndefined();
    expect(await store.findRun(everybody, "gone too")).toBeUndefined();
    expect(await store.messages([key, child.key])).toEqual([]);
    expect(await store.head(key)).toBeUndefined();
    expect(await store.segments(key, -1, 1_000)).toEqual([]);
    expect(await store.messages([kept])).toHaveLength(1);
    expect(await store.head(kept)).toMatchObject({ nextIndex: 2 });
  });

  test("deleteSession deletes a session with all its runs once all of them have ended", async () => {
    const { store } = await openOn(await openDatabase());
    for (let n = 0; n < 45; n++) await createEnded(store);
    const last = await create(store);
    await createEnded(store, { sessionId: "other", runId: "other" });
    const { key } = (await store.findSession(everybody, "s"))!;
    expect(await store.deleteSession(key)).toBe(false);
    expect(await store.sessionRunKeys(key)).toHaveLength(46);
    await put(store, write(last, { transition: to("COMPLETED") }));
    expect(await store.deleteSession(key)).toBe(true);
    expect(await store.deleteSession(key)).toBe(true);
    expect(await store.findSession(everybody, "s")).toBeUndefined();
    expect(await store.sessionRunKeys(key)).toEqual([]);
    expect(await store.findRun(everybody, "other")).toBeDefined();
    await create(store);
    expect(await store.findSession(everybody, "s")).toMatchObject({ state: "{}" });
  });

  test("the store returns its capabilities and availability, and rejects every call after close", async () => {
    const { store } = await openOn(await openDatabase());
    expect(store.capabilities).toMatchObject({ dialect: kind, replicas: kind === "postgres" });
    expect(store.capabilities.label).not.toContain("troupe:");
    expect(store.availability).toMatchObject({ available: true });
    await store.ping();
    const key = await create(store);
    await store.close();
    await store.close();
    const late = [
      store.ping(),
      store.head(key),
      store.append([write(key, { segment: segment(0, 0) })]),
      store.renewProcess("p1", 1_000),
    ];
    for (const promise of late) await expect(promise).rejects.toThrow("closed");
  });
});
