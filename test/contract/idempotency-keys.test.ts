import { expect, test } from "vitest";
import type { IdempotencyReservation } from "../../src/store/contract/store.ts";
import { createEnded, eachStore, openOn } from "./store-fixtures.ts";

function reservation(change: Partial<IdempotencyReservation> = {}): IdempotencyReservation {
  return { digest: "digest", runId: "run-1", fingerprint: "asked", at: 1_000, since: 0, ...change };
}

eachStore("the reservation of an idempotency key", (openDatabase) => {
  test("returns the run id of the first reservation for the same key, and the new run id for another key", async () => {
    const { store } = await openOn(await openDatabase());
    const first = { runId: "run-1", fingerprint: "asked" };
    expect(await store.reserveIdempotencyKey(reservation())).toMatchObject(first);
    expect(
      await store.reserveIdempotencyKey(reservation({ runId: "run-2", fingerprint: "other", at: 2_000 })),
    ).toMatchObject(first);
    expect(await store.reserveIdempotencyKey(reservation({ digest: "another", runId: "run-2" }))).toMatchObject({
      runId: "run-2",
    });
  });

  test("is replaced if the earlier reservation is older than the limit", async () => {
    const { store } = await openOn(await openDatabase());
    await store.reserveIdempotencyKey(reservation());
    expect(await store.reserveIdempotencyKey(reservation({ runId: "run-2", at: 3_000, since: 1_000 }))).toMatchObject({
      runId: "run-1",
    });
    expect(await store.reserveIdempotencyKey(reservation({ runId: "run-2", at: 3_000, since: 1_001 }))).toMatchObject({
      runId: "run-2",
    });
    expect(await store.reserveIdempotencyKey(reservation({ runId: "run-3", at: 3_500, since: 2_000 }))).toMatchObject({
      runId: "run-2",
    });
  });

  test("is replaced if the reserved run was deleted", async () => {
    const { store } = await openOn(await openDatabase());
    await store.reserveIdempotencyKey(reservation());
    const key = await createEnded(store, { runId: "run-1" });
    expect(await store.deleteRun(key)).toBe(true);
    expect(await store.reserveIdempotencyKey(reservation({ runId: "run-2" }))).toMatchObject({ runId: "run-2" });
  });

  test("is replaced after its own run releases it; a release with unlessStarted keeps it if the run exists", async () => {
    const { store } = await openOn(await openDatabase());
    const reserved = async (runId: string) => (await store.reserveIdempotencyKey(reservation({ runId }))).runId;
    const release = { digest: "digest", unlessStarted: true };
    expect(await reserved("run-1")).toBe("run-1");
    await store.releaseIdempotencyKey({ ...release, runId: "other" });
    expect(await reserved("run-2")).toBe("run-1");
    await store.releaseIdempotencyKey({ ...release, runId: "run-1" });
    expect(await reserved("run-2")).toBe("run-2");
    await createEnded(store, { runId: "run-2" });
    await store.releaseIdempotencyKey({ ...release, runId: "run-2" });
    expect(await reserved("run-3")).toBe("run-2");
    await store.releaseIdempotencyKey({ ...release, runId: "run-2", unlessStarted: false });
    expect(await reserved("run-3")).toBe("run-3");
  });

  test("returns one run id for twenty concurrent reservations of one key", async () => {
    const { store } = await openOn(await openDatabase());
    const ids = Array.from({ length: 20 }, (_, n) => `run-${n}`);
    const reserved = await Promise.all(ids.map((runId) => store.reserveIdempotencyKey(reservation({ runId }))));
    expect(new Set(reserved.map(({ runId }) => runId)).size).toBe(1);
  });
});
