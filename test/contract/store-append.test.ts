import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { MemberCreation, RunCreation, Write } from "../../src/store/contract/store.ts";
import {
  create,
  createEnded,
  creation,
  eachStore,
  everybody,
  openOn,
  put,
  readLog,
  segment,
  to,
  write,
} from "./store-fixtures.ts";

function member(key: number, parentKey: number, change: Partial<MemberCreation> = {}): MemberCreation {
  return {
    key,
    runId: randomUUID(),
    parentKey,
    kind: "agent",
    componentId: "member-1",
    componentName: "Member One",
    userId: null,
    input: "{}",
    model: null,
    modelProvider: null,
    createdAt: 1_500,
    toolCallId: "call-1",
    ...change,
  };
}

eachStore("append", (openDatabase) => {
  describe("a watched run", () => {
    test("makes the outcome of its later writes, including its end, contain watched: true; other runs' outcomes contain false", async () => {
      const { store } = await openOn(await openDatabase());
      const keys = [await create(store, { sessionId: "a" }), await create(store, { sessionId: "b" })] as const;
      const ofBoth = (index: number) => keys.map((key) => write(key, { segment: segment(index, index) }));
      expect(await store.append(ofBoth(0))).toMatchObject([{ watched: false }, { watched: false }]);
      await store.watch(keys[1]);
      await store.watch(keys[1]);
      expect(await store.append(ofBoth(1))).toEqual([
        { kind: "committed", waiting: false, watched: false },
        { kind: "committed", waiting: false, watched: true },
      ]);
      const ends = keys.map((key) => write(key, { transition: to("COMPLETED") }));
      expect(await store.append(ends)).toMatchObject([{ watched: false }, { watched: true }]);
      await store.watch(404);
    });
  });

  describe("creations", () => {
    test("the first run of a session is RUNNING, the second is PENDING", async () => {
      const { store } = await openOn(await openDatabase());
      const keys = [await store.nextRunKey(), await store.nextRunKey()] as const;
      const outcomes = await store.append([
        { kind: "create", key: keys[0], run: creation({ sessionState: '{"a":1}' }) },
        { kind: "create", key: keys[1], run: creation({ sessionState: '{"b":1}' }) },
      ]);
      const sessionKey = (await store.findSession(everybody, "s"))?.key;
      const place = { sessionKey, sessionState: '{"a":1}' };
      expect(outcomes).toEqual([
        { kind: "created", status: "RUNNING", sessionSeq: 0, ...place },
        { kind: "created", status: "PENDING", sessionSeq: 1, ...place },
      ]);
      expect(await store.head(keys[0])).toEqual({
        status: "RUNNING",
        attempt: 1,
        nextIndex: 0,
        firstKept: 0,
        cancelRequested: false,
      });
      expect(await store.head(keys[1])).toMatchObject({ status: "PENDING", attempt: 0 });
    });

    test("a run is PENDING while an earlier run of its session is unfinished, and RUNNING in another session", async () => {
      const { store } = await openOn(await openDatabase());
      const first = await create(store);
      const second = await create(store);
      expect(await store.head(second)).toMatchObject({ status: "PENDING" });
      await put(store, write(first, { transition: to("COMPLETED") }));
      expect(await store.head(await create(store))).toMatchObject({ status: "PENDING" });
      expect(await store.head(await create(store, { sessionId: "other" }))).toMatchObject({ status: "RUNNING" });
    });

    test("a paused run does not block its session", async () => {
      const { store } = await openOn(await openDatabase());
      const paused = await create(store);
      await put(store, write(paused, { transition: to("PAUSED") }));
      expect(await store.head(await create(store))).toMatchObject({ status: "RUNNING" });
    });

    test("a run with policy parallel is RUNNING while another run of its session is running", async () => {
      const { store } = await openOn(await openDatabase());
      await create(store);
      expect(await store.head(await create(store, { policy: "parallel" }))).toMatchObject({ status: "RUNNING" });
    });

    test("a run without startBy is PENDING under either policy", async () => {
      const { store } = await openOn(await openDatabase());
      expect(await store.head(await create(store, { startBy: null }))).toMatchObject({ status: "PENDING", attempt: 0 });
      expect(await store.head(await create(store, { startBy: null, policy: "parallel" }))).toMatchObject({
        status: "PENDING",
      });
    });

    test("a creation with an existing run id returns exists and creates nothing; the other creations of the flush succeed", async () => {
      const { store } = await openOn(await openDatabase());
      const runId = randomUUID();
      const key = await create(store, { runId });
      const [again, twin, other] = [await store.nextRunKey(), await store.nextRunKey(), await store.nextRunKey()];
      const outcomes = await store.append([
        { kind: "create", key: again, run: creation({ runId, sessionId: "never" }) },
        { kind: "create", key: other, run: creation({ runId: "fresh", sessionId: "elsewhere" }) },
        { kind: "create", key: twin, run: creation({ runId: "fresh", sessionId: "never" }) },
      ]);
      expect(outcomes).toMatchObject([
        { kind: "exists", key },
        { kind: "created", status: "RUNNING" },
        { kind: "exists", key: other },
      ]);
      expect(await store.head(again)).toBeUndefined();
      expect(await store.head(twin)).toBeUndefined();
    });

    test("appending the same creations again returns the same outcomes", async () => {
      const { store } = await openOn(await openDatabase());
      const first = { kind: "create", key: await store.nextRunKey(), run: creation() } as const;
      const second = { kind: "create", key: await store.nextRunKey(), run: creation() } as const;
      const before = await store.append([first, second]);
      expect(await store.append([first, second])).toEqual(before);
    });

    test("a session gets component, user and state from its first run; later runs change only updatedAt", async () => {
      const { store } = await openOn(await openDatabase());
      await createEnded(store, {
        kind: "team",
        componentId: "team-1",
        userId: "first",
        sessionState: '{"a":1}',
        createdAt: 5_000,
      });
      await createEnded(store, { componentId: "agent-9", userId: "second", sessionState: '{"b":1}', createdAt: 9_000 });
      expect(await store.findSession(everybody, "s")).toMatchObject({
        sessionId: "s",
        owner: "",
        kind: "team",
        componentId: "team-1",
        userId: "first",
        state: '{"a":1}',
        createdAt: 5_000,
        updatedAt: 9_000,
      });
    });

    test("a run can be created and ended in one flush", async () => {
      const { store } = await openOn(await openDatabase());
      const key = await store.nextRunKey();
      const outcomes = await store.append([
        write(key, { segment: segment(0, 2), transition: to("COMPLETED") }),
        { kind: "create", key, run: creation({ runId: "quick" }) },
      ]);
      expect(outcomes).toMatchObject([{ kind: "committed" }, { kind: "created", status: "RUNNING" }]);
      expect(await store.head(key)).toMatchObject({ status: "COMPLETED", nextIndex: 3 });
      expect(await store.findRun(everybody, "quick")).toMatchObject({ output: to("COMPLETED").output });
      expect(await store.claim({ owner: "p2", slots: 9, orphans: true })).toEqual([]);
    });

    test("nextRunKey returns ascending, distinct keys", async () => {
      const { store } = await openOn(await openDatabase());
      const keys: number[] = [];
      for (let n = 0; n < 200; n++) keys.push(await store.nextRunKey());
      expect(keys).toEqual([...keys].sort((a, b) => a - b));
      expect(new Set(keys).size).toBe(200);
    });

    test("JSON texts are read byte for byte as they were written", async () => {
      const { store } = await openOn(await openDatabase());
      const text = JSON.stringify({ message: '\u0000 \ud800 \udfff é 漢 🙂 \\u0000 \\ " \n' }).replace("é", "\\u00e9");
      const key = await create(store, { runId: "texts", input: text, options: text, sessionState: text });
      const message = { runKey: key, position: 0, id: "m", createdAt: 1, body: text };
      const child = member(await store.nextRunKey(), key, { runId: "child", input: text });
      await put(
        store,
        write(key, {
          messages: [message],
          members: [child],
          memberEnds: [{ key: child.key, status: "COMPLETED", output: text }],
        }),
      );
      await put(store, write(key, { transition: { to: "COMPLETED", output: text, at: 1 } }));
      expect(await store.findRun(everybody, "texts")).toMatchObject({ input: text, options: text, output: text });
      expect(await store.findRun(everybody, "child")).toMatchObject({ input: text, output: text });
      expect(await store.messages([key])).toEqual([message]);
      expect(await store.findSession(everybody, "s")).toMatchObject({ state: text });
    });
  });

  describe("writes of runs", () => {
    test("segments of 40 runs are committed in one flush", async () => {
      const { store } = await openOn(await openDatabase());
      const keys = await Promise.all(Array.from({ length: 40 }, (_, n) => create(store, { sessionId: `s${n}` })));
      const outcomes = await store.append(keys.map((key, n) => write(key, { segment: segment(0, n) })));
      expect(outcomes).toEqual(keys.map(() => ({ kind: "committed", waiting: false, watched: false })));
      for (const [n, key] of keys.entries()) {
        expect(await store.head(key)).toMatchObject({ nextIndex: n + 1 });
        expect(await readLog(store, key)).toBe(segment(0, n).frames.toString());
      }
    });

    test("the bytes of a segment are read as they were written", async () => {
      const { store } = await openOn(await openDatabase());
      const key = await create(store);
      const frames = Buffer.from(Array.from({ length: 3_000 }, (_, n) => (n * 31) % 256));
      await put(store, write(key, { segment: { firstIndex: 0, lastIndex: 0, frames } }));
      expect((await store.segments(key, -1, 1))[0]?.frames.equals(frames)).toBe(true);
    });

    test("a creation is refused as full if maxWaiting runs of its session already wait", async () => {
      const { store } = await openOn(await openDatabase());
      const append = async (...changes: Partial<RunCreation>[]): Promise<readonly string[]> => {
        const writes: Write[] = [];
        for (const change of changes) {
          const run = creation({ sessionId: "busy", maxWaiting: 3, startBy: null, ...change });
          writes.push({ kind: "create", key: await store.nextRunKey(), run });
        }
        const outcomes = await store.append(writes);
        return outcomes.map((outcome) => (outcome.kind === "refused" ? outcome.reason : outcome.kind));
      };
      await create(store, { sessionId: "busy" });
      expect(await append({}, { startBy: "p1" })).toEqual(["created", "created"]);
      expect(await append({}, { startBy: "p1" }, {}, { owner: "alice" }, { policy: "parallel" })).toEqual([
        ...["created", "full", "full", "created", "created"],
      ]);
      expect(await append({}, { maxWaiting: 5 }, { policy: "parallel", startBy: "p1" })).toEqual([
        ...["full", "created", "created"],
      ]);
      const all = { caller: everybody, kind: "agent", componentId: "agent-1", sessionId: "busy" } as const;
      expect(await store.listRuns(everybody, all)).toHaveLength(8);
      expect(await append({ maxWaiting: 5 })).toEqual(["full"]);
      // The parallel run starts, so one more run may wait.
      await store.renewProcess("p1", 60_000);
      await store.claim({ owner: "p1", slots: 9, orphans: false });
      expect(await append({ maxWaiting: 5 }, { maxWaiting: 5 })).toEqual(["created", "full"]);
    });

    test("a write with another attempt, or to an unknown or waiting run, is lost; the other writes of the flush are committed", async () => {
      const { store } = await openOn(await openDatabase());
      const key = await create(store, { sessionId: "a" });
      const other = await create(store, { sessionId: "b" });
      const waiting = await create(store, { sessionId: "b" });
      for (const extra of [{}, { transition: to("COMPLETED") }]) {
        const writes = [
          write(key, { attempt: 2, segment: segment(0, 0), ...extra }),
          write(987_654_321, { segment: segment(0, 0), ...extra }),
          write(waiting, { segment: segment(0, 0), ...extra }),
        ];
        expect(await store.append(writes)).toEqual(writes.map(() => ({ kind: "lost" })));
      }
      expect(
        await store.append([
          write(key, { attempt: 0, segment: segment(0, 0) }),
          write(other, { segment: segment(0, 0) }),
        ]),
      ).toEqual([{ kind: "lost" }, { kind: "committed", waiting: false, watched: false }]);
      expect(await store.head(key)).toMatchObject({ status: "RUNNING", nextIndex: 0 });
    });

    test("a write to an ended run returns its status and changes nothing", async () => {
      const { store } = await openOn(await openDatabase());
      for (const status of ["COMPLETED", "ERROR", "CANCELLED"] as const) {
        const key = await create(store, { sessionId: status });
        await put(store, write(key, { segment: segment(0, 0), transition: to(status) }));
        const over = { kind: "state", status, cancelRequested: false };
        expect(await put(store, write(key, { segment: segment(1, 1) }))).toEqual(over);
        expect(await put(store, write(key, { segment: segment(1, 1), transition: to("ERROR") }))).toEqual(over);
        expect(await store.head(key)).toMatchObject({ status, nextIndex: 1 });
      }
    });

    test("a write to a paused run by the attempt that paused it returns its status", async () => {
      const { store } = await openOn(await openDatabase());
      const key = await create(store);
      expect(await put(store, write(key, { transition: to("PAUSED") }))).toMatchObject({ kind: "committed" });
      expect(await put(store, write(key, { segment: segment(0, 0) }))).toMatchObject({
        kind: "state",
        status: "PAUSED",
      });
    });

    test("after a cancel request only a transition to CANCELLED is committed; segments still are", async () => {
      const { store } = await openOn(await openDatabase());
      const key = await create(store);
      await store.requestCancel(key);
      const held = { kind: "state", status: "RUNNING", cancelRequested: true };
      for (const status of ["COMPLETED", "ERROR", "PAUSED", "PENDING"] as const) {
        expect(await put(store, write(key, { segment: segment(0, 0), transition: to(status) }))).toEqual(held);
      }
      expect(await put(store, write(key, { segment: segment(0, 0) }))).toMatchObject({ kind: "committed" });
      expect(await put(store, write(key, { segment: segment(1, 1), transition: to("CANCELLED") }))).toMatchObject({
        kind: "committed",
      });
      expect(await store.head(key)).toMatchObject({ status: "CANCELLED", nextIndex: 2, cancelRequested: true });
    });

    test("a run with messages from callers completes only after it has taken all of them; other ends do not wait", async () => {
      const { store } = await openOn(await openDatabase());
      const [key, failing] = [await create(store, { sessionId: "a" }), await create(store, { sessionId: "b" })];
      const message = { id: "m", content: "hello", mode: "queue", key: "k" } as const;
      const accepted = { kind: "accepted", status: "RUNNING" };
      expect(await store.steer(key, message, 1)).toMatchObject({
        ...accepted,
        isRepeated: false,
        message: { number: 1 },
      });
      expect(await store.steer(key, message, 2)).toMatchObject({
        ...accepted,
        isRepeated: true,
        message: { number: 1 },
      });
      expect(await store.steer(key, { ...message, key: "other" }, 3)).toMatchObject({ message: { number: 2 } });
      expect((await store.steeringMessages(key, 1)).map(({ number }) => number)).toEqual([2]);
      const ends = (steered: number) =>
        write(key, { segment: segment(0, 0), transition: { ...to("COMPLETED"), steered } });
      const held = { kind: "state", status: "RUNNING", cancelRequested: false, isSteered: true };
      for (const steered of [0, 1]) expect(await put(store, ends(steered))).toEqual(held);
      expect(await put(store, ends(2))).toMatchObject({ kind: "committed" });
      expect(await store.steer(key, { ...message, key: "late" }, 4)).toEqual({ kind: "over", status: "COMPLETED" });
      expect(await store.steer(key, message, 5)).toMatchObject({ kind: "accepted", isRepeated: true });
      await store.steer(failing, message, 6);
      const fails = write(failing, { segment: segment(0, 0), transition: to("ERROR") });
      expect(await put(store, fails)).toMatchObject({ kind: "committed" });
      expect(await store.steer(999_999, message, 7)).toEqual({ kind: "gone" });
    });

    test("a transition to the run's current status is refused with that status", async () => {
      const { store } = await openOn(await openDatabase());
      const key = await create(store);
      expect(await put(store, write(key, { transition: to("RUNNING") }))).toMatchObject({
        kind: "state",
        status: "RUNNING",
      });
    });

    test("the outcome of a run's end contains whether another run of its session is waiting", async () => {
      const { store } = await openOn(await openDatabase());
      const first = await create(store);
      await create(store);
      const alone = await create(store, { sessionId: "alone" });
      expect(
        await store.append([
          write(alone, { transition: to("COMPLETED") }),
          write(first, { segment: segment(0, 0), transition: to("ERROR") }),
        ]),
      ).toEqual([
        { kind: "committed", waiting: false, watched: false },
        { kind: "committed", waiting: true, watched: false },
      ]);
    });

    test("the outcome of a pause contains waiting: true for a run created in the same flush", async () => {
      const { store } = await openOn(await openDatabase());
      const first = await create(store);
      const second = await store.nextRunKey();
      const outcomes = await store.append([
        write(first, { transition: to("PAUSED") }),
        { kind: "create", key: second, run: creation() },
      ]);
      expect(outcomes).toMatchObject([{ kind: "committed", waiting: true, watched: false }, { status: "PENDING" }]);
    });

    test("a run whose owner hands it over is PENDING and can be claimed", async () => {
      const { store } = await openOn(await openDatabase());
      const key = await create(store);
      expect(await put(store, write(key, { transition: { to: "PENDING", output: null, at: 3 } }))).toMatchObject({
        kind: "committed",
      });
      expect(await store.claim({ owner: "p2", slots: 1, orphans: false })).toMatchObject([{ key, attempt: 2 }]);
    });

    test("several writes of a run in one flush are committed in order, up to its end", async () => {
      const { store } = await openOn(await openDatabase());
      const key = await create(store);
      const outcomes = await store.append([
        write(key, { segment: segment(0, 0) }),
        write(key, { segment: segment(1, 2) }),
        write(key, { segment: segment(3, 3), transition: to("COMPLETED") }),
        write(key, { segment: segment(4, 4) }),
      ]);
      expect(outcomes.map((outcome) => outcome.kind)).toEqual(["committed", "committed", "committed", "state"]);
      expect(await readLog(store, key)).toBe(segment(0, 3).frames.toString());
    });

    test("a second message at the same position does not replace the first", async () => {
      const { store } = await openOn(await openDatabase());
      const key = await create(store);
      const message = (body: string, position = 0) => ({
        runKey: key,
        position,
        id: `m${position}`,
        createdAt: 7,
        body,
      });
      await put(store, write(key, { messages: [message('"one"')] }));
      await put(store, write(key, { messages: [message('"two"'), message('"three"', 1)] }));
      expect(await store.messages([key])).toEqual([message('"one"'), message('"three"', 1)]);
    });

    test("an empty flush returns no outcomes", async () => {
      const { store } = await openOn(await openDatabase());
      expect(await store.append([])).toEqual([]);
    });
  });

  describe("members", () => {
    test("are stored as runs of their root, and keep their first end", async () => {
      const { store } = await openOn(await openDatabase());
      const key = await create(store, { runId: "root", kind: "team" });
      const [one, two] = [
        member(await store.nextRunKey(), key, { runId: "one" }),
        member(await store.nextRunKey(), key),
      ];
      const nested = member(await store.nextRunKey(), one.key, { runId: "nested" });
      await put(store, write(key, { members: [one, two, nested] }));
      expect(await store.findRun(everybody, "one")).toMatchObject({
        status: "RUNNING",
        rootKey: key,
        parentRunId: "root",
        toolCallId: "call-1",
      });
      await put(store, write(key, { memberEnds: [{ key: one.key, status: "COMPLETED", output: '"done"' }] }));
      await put(store, write(key, { memberEnds: [{ key: one.key, status: "ERROR", output: '"late"' }] }));
      expect(await store.memberRuns([key])).toMatchObject([
        { runId: "one", status: "COMPLETED", output: '"done"', parentKey: key },
        { runId: two.runId, status: "RUNNING" },
        { runId: "nested", parentKey: one.key, parentRunId: "one", rootKey: key, sessionId: "s" },
      ]);
      // A member is not queued in its session.
      expect(await store.claim({ owner: "p2", slots: 9, orphans: false })).toEqual([]);
      expect(await store.head(one.key)).toMatchObject({ status: "COMPLETED", nextIndex: 0 });
    });

    test("end with their root if they are unfinished", async () => {
      const { store } = await openOn(await openDatabase());
      for (const [end, left] of [
        ["COMPLETED", "CANCELLED"],
        ["CANCELLED", "CANCELLED"],
        ["ERROR", "ERROR"],
      ] as const) {
        const key = await create(store, { sessionId: end });
        const [done, old, fresh] = await Promise.all([0, 1, 2].map(async () => member(await store.nextRunKey(), key)));
        await put(store, write(key, { members: [done!, old!] }));
        await put(
          store,
          write(key, {
            members: [fresh!],
            memberEnds: [{ key: done!.key, status: "COMPLETED", output: "{}" }],
            transition: to(end),
          }),
        );
        const statuses = await Promise.all([done, old, fresh].map(async (run) => (await store.head(run!.key))?.status));
        expect(statuses).toEqual(["COMPLETED", left, left]);
      }
    });

    test("end once in a flush that reports several ends, and do not stay paused under a root that ends", async () => {
      const { store } = await openOn(await openDatabase());
      const key = await create(store);
      const members = await Promise.all([0, 1, 2].map(async () => member(await store.nextRunKey(), key)));
      const [both, paused, failed] = members.map((run) => run.key) as [number, number, number];
      await put(store, write(key, { members }));
      const memberEnds = [
        { key: both, status: "PAUSED", output: '"paused"' },
        { key: paused, status: "PAUSED", output: '"paused"' },
        { key: failed, status: "COMPLETED", output: '"done"' },
        { key: failed, status: "ERROR", output: '"late"' },
        { key: both, status: "ERROR", output: '"ended"' },
      ] as const;
      await put(store, write(key, { memberEnds, transition: to("ERROR") }));
      expect((await store.memberRuns([key])).map(({ status, output }) => [status, output])).toEqual([
        ["ERROR", '"ended"'],
        ["ERROR", '"paused"'],
        ["COMPLETED", '"done"'],
      ]);
    });

    test("keep running when their root pauses", async () => {
      const { store } = await openOn(await openDatabase());
      const key = await create(store);
      const child = member(await store.nextRunKey(), key);
      await put(store, write(key, { members: [child], transition: to("PAUSED") }));
      expect(await store.head(child.key)).toMatchObject({ status: "RUNNING" });
    });

    test("can be created and ended in one flush, and the same flush again is committed", async () => {
      const { store } = await openOn(await openDatabase());
      const key = await create(store);
      const child = member(await store.nextRunKey(), key, { runId: "short" });
      const flush = write(key, { members: [child], memberEnds: [{ key: child.key, status: "ERROR", output: '"x"' }] });
      expect(await put(store, flush)).toMatchObject({ kind: "committed" });
      expect(await put(store, flush)).toMatchObject({ kind: "committed" });
      expect(await store.findRun(everybody, "short")).toMatchObject({ status: "ERROR", output: '"x"' });
    });

    test("are not created by a lost or refused write, nor are its segment, message and state patch applied", async () => {
      const { store } = await openOn(await openDatabase());
      const key = await create(store);
      await store.requestCancel(key);
      const child = member(await store.nextRunKey(), key);
      const message = { runKey: key, position: 0, id: "m", createdAt: 1, body: "{}" };
      const all = {
        segment: segment(0, 0),
        messages: [message],
        members: [child],
        statePatch: { set: { a: 1 }, remove: [] },
      };
      expect(await put(store, write(key, { ...all, transition: to("COMPLETED") }))).toMatchObject({ kind: "state" });
      expect(await put(store, write(key, { ...all, attempt: 7 }))).toMatchObject({ kind: "lost" });
      expect(await store.head(child.key)).toBeUndefined();
      expect(await store.messages([key])).toEqual([]);
      expect(await store.head(key)).toMatchObject({ nextIndex: 0 });
      expect(await store.findSession(everybody, "s")).toMatchObject({ state: "{}" });
    });
  });

  describe("session state", () => {
    test("a patch sets and removes only its own keys of the stored state, and null is a value", async () => {
      const { store } = await openOn(await openDatabase());
      const key = await create(store, { sessionState: '{"a":1,"b":{"c":2},"z":null}' });
      const other = await create(store, { policy: "parallel" });
      const outcomes = await store.append([
        write(key, { statePatch: { set: { d: [1], e: null }, remove: ["a", "unknown"] } }),
        write(other, { statePatch: { set: { b: 3, constructor: "y" }, remove: [] } }),
      ]);
      expect(outcomes.map((outcome) => outcome.kind)).toEqual(["committed", "committed"]);
      const state = async (): Promise<string> => (await store.findSession(everybody, "s"))!.state;
      expect(JSON.parse(await state())).toEqual(JSON.parse('{"b":3,"z":null,"d":[1],"e":null,"constructor":"y"}'));
      await put(store, write(key, { statePatch: { set: JSON.parse('{"__proto__":{"x":1}}'), remove: ["z"] } }));
      expect(await state()).toContain('"__proto__":{"x":1}');
      expect(await state()).not.toContain('"z"');
    });

    test("a patch that cannot be JSON fails only its own write", async () => {
      const { store } = await openOn(await openDatabase());
      const key = await create(store, { sessionId: "a" });
      const other = await create(store, { sessionId: "b" });
      const outcomes = await store.append([
        write(key, { segment: segment(0, 0), statePatch: { set: { a: 1n }, remove: [] } }),
        write(other, { segment: segment(0, 0), statePatch: { set: { a: 1 }, remove: [] } }),
      ]);
      expect(outcomes).toMatchObject([{ kind: "failed" }, { kind: "committed" }]);
      expect(await store.head(key)).toMatchObject({ nextIndex: 0, status: "RUNNING" });
    });
  });
});
