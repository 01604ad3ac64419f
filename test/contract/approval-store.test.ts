/** Approvals: a pause creates them, an answer resolves them, and the end of their run ends them. */
import { expect, test } from "vitest";
import type { ApprovalCreation } from "../../src/store/contract/approvals.ts";
import type { Store } from "../../src/store/contract/store.ts";
import { eachDatabase } from "../support/databases.ts";
import { create, eachStore, everybody, openOn, put, to, write } from "./store-fixtures.ts";

function approval(id: string): ApprovalCreation {
  return {
    ...{ id, type: "required", pauseType: "confirmation", sourceType: "agent", sourceName: "One", agentId: "agent-1" },
    ...{ teamId: null, workflowId: null, toolName: "pay", toolArgs: { note: "a\u0000b" }, createdAt: 1_000 },
    requirements: [{ id: "r" }],
  };
}

async function paused(store: Store, ...ids: string[]): Promise<number> {
  const key = await create(store);
  await put(store, write(key, { transition: { ...to("PAUSED"), approvals: ids.map(approval) } }));
  return key;
}

const yes = (id: string) => ({ id, status: "approved", resolvedBy: "u\u0000", data: { x: 1 }, at: 5_000 }) as const;
const states = async (store: Store, key: number) =>
  (await store.approvalsOf(key)).map(({ id, status, resolvedBy }) => [id, status, resolvedBy]);

eachStore("an approval", (openDatabase) => {
  test("is stored as pending with the pause, and is resolved in the transaction that continues the run", async () => {
    const { store } = await openOn(await openDatabase());
    const key = await paused(store, "a", "b");
    expect(await store.approvalsOf(key)).toEqual(
      ["a", "b"].map((id) => ({
        ...approval(id),
        ...{ status: "pending", resolutionData: null, resolvedBy: null, resolvedAt: null, updatedAt: 1_000 },
      })),
    );
    const mark = { runKey: key, name: "answer", createdAt: 5_000, body: "{}" };
    expect(await store.continueRun(key, 1, [mark], [yes("a")])).toBe(true);
    expect(await states(store, key)).toEqual([
      ["a", "approved", "u\u0000"],
      ["b", "pending", null],
    ]);
    expect(await store.marks([key])).toEqual([mark]);
  });

  test("is not resolved, and its run is not continued, if one of the answered approvals is another run's, unknown or already resolved", async () => {
    const { store } = await openOn(await openDatabase());
    const key = await paused(store, "a", "b");
    const other = await paused(store, "c");
    const mark = { runKey: key, name: "answer", createdAt: 5_000, body: "{}" };
    for (const ids of [
      ["a", "c"],
      ["a", "nope"],
    ])
      expect(await store.continueRun(key, 1, [mark], ids.map(yes))).toBe(false);
    expect(await store.continueRun(other, 1, [], [yes("c")])).toBe(true);
    expect(await store.continueRun(other, 1, [], [])).toBe(false);
    expect([await states(store, key), await store.marks([key])]).toEqual([
      [
        ["a", "pending", null],
        ["b", "pending", null],
      ],
      [],
    ]);
    expect(await store.head(key)).toMatchObject({ status: "PAUSED" });
  });

  test.for([
    ["CANCELLED", "cancelled"],
    ["ERROR", "expired"],
  ] as const)(
    "of a run that ends as %s becomes %s if it was pending, and is deleted with the run",
    async ([status, becomes]) => {
      const { store } = await openOn(await openDatabase());
      const key = await paused(store, "a", "b");
      expect(await store.continueRun(key, 1, [], [yes("a")])).toBe(true);
      const [claimed] = await store.claim({ owner: "p1", slots: 1, key, orphans: false });
      const transition = { ...to(status), endsApprovals: true };
      await put(store, write(key, { attempt: claimed!.attempt, transition }));
      expect(await states(store, key)).toEqual([
        ["a", "approved", "u\u0000"],
        ["b", becomes, null],
      ]);
      expect(await store.deleteRun(key)).toBe(true);
      expect(await store.approvalsOf(key)).toEqual([]);
    },
  );
});

eachDatabase("the approvals of a run", (openDatabase) => {
  test("lastResolved returns the approval resolved last, among more than a hundred", async () => {
    const { store, approvals } = await openOn(await openDatabase());
    const ids = Array.from({ length: 120 }, (_, place) => `a${String(place).padStart(3, "0")}`);
    const key = await paused(store, ...ids);
    const [{ runId } = { runId: "" }] = (await approvals.list(everybody, { limit: 1, offset: 0, maxBytes: 0 })).rows;
    expect(await approvals.lastResolved(everybody, runId)).toBeUndefined();
    expect(await store.continueRun(key, 1, [], ids.slice(1).map(yes))).toBe(true);
    await approvals.resolve(everybody, "a000", { status: "approved", resolvedBy: "u", data: null, at: 6_000 });
    expect(await approvals.lastResolved(everybody, runId)).toMatchObject({ id: "a000", resolvedAt: 6_000 });
    expect(await approvals.lastResolved(everybody, "other")).toBeUndefined();
  });
});
