/** A real store and the simulation's model of it return the same results for any sequence of steps. */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Store, Write } from "../../src/store/contract/store.ts";
import { MemoryDatabase } from "../simulation/memory/database.ts";
import { directWire, memoryStore } from "../simulation/memory/store.ts";
import { eachDatabase } from "../support/databases.ts";
import { repetitions } from "../support/repetitions.ts";
import { testRuntime } from "../support/runtime.ts";
import { creation, everybody, openOn, segment, to, write } from "./store-fixtures.ts";

const sessions = ["a", "b", "c"];
const run = fc.nat(11);
const owner = fc.constantFrom("p1", "p2");
const status = fc.constantFrom("COMPLETED", "ERROR", "CANCELLED", "PAUSED", "PENDING" as const);

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constant("create" as const),
      session: fc.constantFrom(...sessions),
      policy: fc.constantFrom("queue", "queue", "parallel" as const),
      maxWaiting: fc.constantFrom(1, 2, 9),
      startBy: fc.option(owner),
      // The hint may be right or wrong: it must not change the result.
      hasNewSession: fc.boolean(),
      beside: fc.option(run),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ does: fc.constant("end" as const), run, status, beside: fc.option(run), used: fc.nat(3) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant("write" as const),
      run,
      beside: run,
      stale: fc.boolean(),
      says: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant("release" as const), run }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant("cancel" as const), run }) },
  {
    weight: 2,
    arbitrary: fc.record({ does: fc.constant("claim" as const), owner, slots: fc.integer({ min: 1, max: 3 }) }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant("claim one" as const), owner, run }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant("die" as const), owner }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant("delete" as const), run }) },
);

type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** Executes the steps and returns all their results. */
async function follow(store: Store, steps: readonly Step[]): Promise<unknown> {
  const results: unknown[] = [];
  const keys: number[] = [];
  await store.renewProcess("p1", 600_000);
  await store.renewProcess("p2", 600_000);
  for (const [place, one] of steps.entries()) {
    const key = "run" in one ? (keys[one.run % Math.max(1, keys.length)] ?? 999) : 999;
    const head = await store.head(key);
    const attempt = head?.attempt ?? 1;
    switch (one.does) {
      case "create": {
        const made = await store.nextRunKey();
        keys.push(made);
        const { session: sessionId, policy, maxWaiting, startBy, hasNewSession } = one;
        const run = creation({ runId: `run ${place}`, sessionId, policy, maxWaiting, startBy, hasNewSession });
        results.push(
          await store.append([{ kind: "create", key: made, run }, ...(await other(store, keys, one, place))]),
        );
        break;
      }
      case "end": {
        const tokens = { input_tokens: one.used, output_tokens: 1, total_tokens: one.used + 1 };
        const usage = one.used > 0 ? [{ id: `model ${one.used}`, provider: "p", ...tokens }] : [];
        const end = write(key, { attempt, transition: { ...to(one.status), usage } });
        results.push(await store.append([...(await other(store, keys, one, place, key)), end]));
        break;
      }
      case "write": {
        // One flush with two writes: of a run that may have been taken over, and of a run in any state.
        const beside = keys[one.beside % Math.max(1, keys.length)] ?? 999;
        const flush = [await next(store, key, one.stale ? attempt - 1 : attempt, one.says, place)];
        if (beside !== key) {
          const other = await store.head(beside);
          flush.push(await next(store, beside, other?.attempt ?? 1, !one.says, place));
        }
        results.push(await store.append(flush));
        break;
      }
      case "release":
        results.push(await store.release(key, attempt));
        break;
      case "cancel":
        results.push(await store.requestCancel(key));
        break;
      case "claim":
        results.push(await store.claim({ owner: one.owner, slots: one.slots, orphans: true }));
        break;
      case "claim one":
        results.push(await store.claim({ owner: one.owner, slots: 1, orphans: true, key }));
        break;
      case "die":
        await store.endProcess(one.owner);
        results.push(await store.claim({ owner: one.owner === "p1" ? "p2" : "p1", slots: 2, orphans: true }));
        await store.renewProcess(one.owner, 600_000);
        break;
      case "delete":
        results.push(await store.deleteRun(key));
        break;
    }
  }
  for (const key of keys) results.push(await store.head(key), await store.messages([key]));
  for (const sessionId of sessions) {
    const { title, state, usage, updatedAt } = (await store.findSession(everybody, sessionId)) ?? {};
    results.push({ title, state, usage, updatedAt });
  }
  return withoutKeys(results);
}

/** Returns the write of another run for the same flush, if the step has one. */
async function other(
  store: Store,
  keys: readonly number[],
  { beside }: { readonly beside: number | null },
  place: number,
  key?: number,
): Promise<Write[]> {
  const found = beside === null ? undefined : keys[beside % Math.max(1, keys.length)];
  if (found === undefined || found === key) return [];
  return [await next(store, found, (await store.head(found))?.attempt ?? 1, place % 2 === 0, place)];
}

/** Replaces session keys by their order of appearance, because each database assigns its own. */
function withoutKeys(results: unknown[]): unknown {
  const names = new Map<number, string>();
  const nameOf = (key: number): string => names.get(key) ?? names.set(key, `session ${names.size}`).get(key) ?? "";
  const text = JSON.stringify(results, (name, value) => (name === "sessionKey" ? nameOf(value) : value));
  return JSON.parse(text);
}

/** Returns a run's next write: an event, and a message if `says` is true. */
async function next(store: Store, key: number, attempt: number, says: boolean, place: number): Promise<Write> {
  const { nextIndex = 0 } = (await store.head(key)) ?? {};
  const message = { runKey: key, position: nextIndex, id: `message ${place}`, createdAt: place, body: `"${place}"` };
  const messages = says ? [message] : [];
  return write(key, { attempt, segment: segment(nextIndex, nextIndex), begins: nextIndex === 0, messages });
}

eachDatabase("a store and its model in memory", (openDatabase, kind) => {
  test("return the same results for random steps", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const model = memoryStore(new MemoryDatabase(kind, Date.now), directWire, testRuntime);
        const { store } = await openOn(await openDatabase());
        expect(await follow(store, steps)).toEqual(await follow(model, steps));
        await store.close();
      }),
      { numRuns: repetitions(kind === "sqlite" ? 80 : 25) },
    );
  }, 120_000);
});
