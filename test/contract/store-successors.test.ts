/** Runs that replace other runs, reserved starts whose run was deleted, and copied sessions. */
import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import {
  create,
  createEnded,
  creation,
  eachStore,
  everybody,
  openOn,
  put,
  segment,
  to,
  write,
} from "./store-fixtures.ts";

const message = (position: number, text: string) => ({
  ...{ position, id: `m${position}`, createdAt: 1_000 + position },
  body: JSON.stringify({ role: "user", content: text }),
});

eachStore("a run that replaces another run", (openDatabase) => {
  test("has the messages of its creation, and the replaced run is listed as REGENERATED with replacedBy", async () => {
    const { store } = await openOn(await openDatabase());
    const old = await createEnded(store, { runId: "old" });
    const key = await create(store, {
      runId: "new",
      replaces: old,
      messages: [message(0, "a"), message(1, "\u0000b")],
    });
    expect((await store.messages([key])).map(({ id, body }) => [id, JSON.parse(body).content])).toEqual([
      ["m0", "a"],
      ["m1", "\u0000b"],
    ]);
    expect(await store.findRun(everybody, "old")).toMatchObject({ replacedBy: "new", status: "COMPLETED" });
    expect(await store.findRun(everybody, "new")).toMatchObject({ replacedBy: null, owner: "" });
    const query = { kind: "agent", componentId: "agent-1" } as const;
    const listed = await store.listRuns(everybody, { ...query, statuses: ["REGENERATED"] });
    expect(listed.map(({ runId }) => runId)).toEqual(["old"]);
  });

  test("is refused if the other run is already replaced, by an earlier or the same flush, or was deleted", async () => {
    const { store } = await openOn(await openDatabase());
    const old = await createEnded(store, { runId: "old" });
    const other = await createEnded(store, { runId: "other" });
    const refused = { kind: "refused", reason: "replaced" };
    await create(store, { replaces: old });
    const again = async (replaces: number) =>
      ({ kind: "create", key: await store.nextRunKey(), run: creation({ runId: randomUUID(), replaces }) }) as const;
    expect(await put(store, await again(old))).toEqual(refused);
    const [first, second] = await store.append([await again(other), await again(other)]);
    expect([first?.kind, second]).toEqual(["created", refused]);
    await store.deleteRun(other);
    expect(await put(store, await again(other))).toEqual(refused);
  });

  test("clears replacedBy of the other run when it is deleted, so that a new run can replace it", async () => {
    const { store } = await openOn(await openDatabase());
    const old = await createEnded(store, { runId: "old" });
    const key = await createEnded(store, { runId: "new", replaces: old });
    expect(await store.deleteRun(key)).toBe(true);
    expect(await store.findRun(everybody, "old")).toMatchObject({ replacedBy: null });
    await create(store, { runId: "newer", replaces: old });
    expect(await store.findRun(everybody, "old")).toMatchObject({ replacedBy: "newer" });
  });
});

eachStore("a creation with a reservation", (openDatabase) => {
  test("is refused if an earlier attempt created its run and the run was deleted", async () => {
    const { store } = await openOn(await openDatabase());
    const reservation = { digest: "digest", runId: "run-1", fingerprint: "asked", at: 1_000, since: 0 };
    await store.reserveIdempotencyKey(reservation);
    const key = await createEnded(store, { runId: "run-1", reservation: "digest", sessionId: "gone" });
    const late = async () =>
      put(store, {
        ...{ kind: "create", key: await store.nextRunKey() },
        run: creation({ runId: "run-1", reservation: "digest", sessionId: "gone" }),
      });
    expect(await late()).toEqual({ kind: "exists", key });
    const session = await store.findSession(everybody, "gone");
    expect(await store.deleteSession(session!.key)).toBe(true);
    expect(await late()).toEqual({ kind: "refused", reason: "unreserved" });
    expect(await store.findSession(everybody, "gone")).toBeUndefined();
  });
});

eachStore("the copy of a session", (openDatabase) => {
  test("has the runs, members and messages of the source under new ids, and no events", async () => {
    const { store } = await openOn(await openDatabase());
    const root = await create(store, { runId: "root", userId: "user-1", messages: [message(0, "hello")] });
    const member = await store.nextRunKey();
    const under = {
      ...{
        key: member,
        runId: "member",
        parentKey: root,
        kind: "agent" as const,
        componentId: "a",
        componentName: "A",
      },
      ...{ userId: null, input: "{}", model: null, modelProvider: null, createdAt: 1_500, toolCallId: "call" },
    } as const;
    const end = { key: member, status: "COMPLETED", output: '{"content":"from member"}' } as const;
    await put(
      store,
      write(root, {
        segment: segment(0, 3),
        members: [under],
        memberEnds: [end],
        messages: [{ runKey: member, ...message(0, "task") }],
        transition: to("COMPLETED"),
      }),
    );
    const session = await store.findSession(everybody, "s");
    await store.updateSession(session!.key, { name: "mine", state: '{"a":1}' }, 3_000);
    const runs = [
      { from: root, key: await store.nextRunKey(), runId: "root-2", options: '{"x":1}', output: '{"content":"o"}' },
      { from: member, key: await store.nextRunKey(), runId: "member-2", options: "{}", output: '{"content":"m"}' },
    ];
    const whose = { owner: "another", userId: "user-2" };
    const copy = { from: session!.key, sessionId: "copy", ...whose, runs, at: 5_000 };
    const key = await store.copySession(copy);
    expect(await store.findSession(everybody, "copy")).toMatchObject({
      ...{ key, name: "mine", title: "hello", state: '{"a":1}', ...whose, createdAt: 5_000 },
    });
    expect(await store.copySession(copy)).toBe("taken");
    expect(await store.findRun(everybody, "root-2")).toMatchObject({
      ...{ sessionId: "copy", sessionSeq: 0, status: "COMPLETED", options: '{"x":1}', output: '{"content":"o"}' },
    });
    expect(await store.memberRuns([runs[0]!.key])).toMatchObject([
      { runId: "member-2", parentRunId: "root-2", output: '{"content":"m"}', toolCallId: "call", status: "COMPLETED" },
    ]);
    const said = await store.messages(runs.map(({ key: each }) => each));
    expect(said.map(({ body }) => JSON.parse(body).content)).toEqual(["hello", "task"]);
    expect(await store.head(runs[0]!.key)).toMatchObject({ firstKept: 4, nextIndex: 4, status: "COMPLETED" });
    expect(await store.segments(runs[0]!.key, -1, 1_000)).toEqual([]);
    // The next run of the copy follows the copied runs.
    const next = await put(store, {
      ...{ kind: "create", key: await store.nextRunKey() },
      run: creation({ sessionId: "copy", owner: whose.owner }),
    });
    expect(next).toMatchObject({ kind: "created", status: "RUNNING", sessionKey: key, sessionSeq: 1 });
    expect(await store.uncompacted(10)).not.toContain(runs[0]!.key);
    expect(await store.deleteRun(root)).toBe(true);
    expect(await store.messages([runs[0]!.key])).toHaveLength(1);
  });

  test("returns gone if its source was deleted, and creates nothing", async () => {
    const { store } = await openOn(await openDatabase());
    const root = await createEnded(store);
    const { key } = (await store.findSession(everybody, "s"))!;
    const runs = [{ from: root, key: await store.nextRunKey(), runId: "copy", options: "{}", output: null }];
    expect(await store.deleteSession(key)).toBe(true);
    expect(await store.copySession({ from: key, sessionId: "copy", owner: "", userId: null, runs, at: 5_000 })).toBe(
      "gone",
    );
    expect(await store.findSession(everybody, "copy")).toBeUndefined();
  });

  test("is rejected as a conflict if one of its runs was deleted, and creates nothing", async () => {
    const { store } = await openOn(await openDatabase());
    const roots = [await createEnded(store), await createEnded(store)];
    const { key } = (await store.findSession(everybody, "s"))!;
    const copies = roots.map(async (from, place) => {
      return { from, key: await store.nextRunKey(), runId: `copy-${place}`, options: "{}", output: null };
    });
    const copy = { from: key, sessionId: "copy", owner: "", userId: null, runs: await Promise.all(copies), at: 5_000 };
    expect(await store.deleteRun(roots[1]!)).toBe(true);
    await expect(store.copySession(copy)).rejects.toMatchObject({ code: "conflict" });
    expect(await store.findSession(everybody, "copy")).toBeUndefined();
    expect(await store.findRun(everybody, "copy-0")).toBeUndefined();
    // The transaction was rolled back: the store still writes.
    expect(await store.copySession({ ...copy, runs: copy.runs.slice(0, 1) })).toEqual(expect.any(Number));
  });

  test("leaves out unfinished runs", async () => {
    const { store } = await openOn(await openDatabase());
    const root = await create(store);
    const session = await store.findSession(everybody, "s");
    const runs = [{ from: root, key: await store.nextRunKey(), runId: "copy", options: "{}", output: null }];
    await store.copySession({ from: session!.key, sessionId: "copy", owner: "", userId: null, runs, at: 5_000 });
    expect(await store.findRun(everybody, "copy")).toBeUndefined();
  });
});
