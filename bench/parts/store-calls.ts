/** Calls of a server's store, timed in the server's process. */
import type { RetainedKind } from "../../src/model/retention.ts";
import type { OpenedStore } from "../../src/store/open.ts";
import { contentWrite, creation } from "../trials/setup.ts";
import { now } from "./time.ts";

/** A component that no server hosts, so that no engine claims its runs. */
const component = { kind: "agent", id: "trial" } as const;

/** Commits flushes of one event each. Returns the milliseconds of each. */
export async function timeFlushes({ store }: OpenedStore, count: number): Promise<readonly number[]> {
  const key = await store.nextRunKey();
  await store.append([{ kind: "create", key, run: creation(`flushed-${key}`) }]);
  const times: number[] = [];
  for (let index = 0; index < count; index++) {
    const write = contentWrite(key, index, 1);
    times.push(await timed(() => store.append([write])));
  }
  await end(store, key, count);
  return times;
}

/** Claims one waiting run at a time. Returns the milliseconds of each claim. */
export async function timeClaims({ store }: OpenedStore, count: number): Promise<readonly number[]> {
  const times: number[] = [];
  for (let claim = 0; claim < count; claim++) {
    const key = await store.nextRunKey();
    const run = { ...creation(`claimed-${key}`), startBy: null, background: true };
    await store.append([{ kind: "create", key, run }]);
    let claimed = 0;
    const request = { owner: "trial", slots: 1, components: [component], orphans: false };
    times.push(
      await timed(async () => {
        claimed = (await store.claim(request)).length;
      }),
    );
    if (claimed !== 1) throw new Error(`${claimed} runs were claimed instead of one.`);
    await end(store, key, 0);
  }
  return times;
}

/** Removes batches of the oldest data of a kind. Returns the milliseconds of each batch. */
export async function timeRemovals(
  { retention }: OpenedStore,
  { kind, count, age }: { readonly kind: RetainedKind; readonly count: number; readonly age: number },
): Promise<readonly number[]> {
  const limit = 50;
  const times: number[] = [];
  for (let batch = 0; batch < count; batch++) {
    let items = 0;
    times.push(
      await timed(async () => {
        items = (await retention.remove(kind, { age, limit })).items;
      }),
    );
    if (items !== limit) throw new Error(`A batch removed ${items} of ${limit} items.`);
  }
  return times;
}

async function end(store: OpenedStore["store"], key: number, nextIndex: number): Promise<void> {
  const { segment, ...write } = contentWrite(key, nextIndex, 1);
  const transition = { to: "COMPLETED", output: null, at: Date.now() } as const;
  const [outcome] = await store.append([{ ...write, segment, transition }]);
  if (outcome?.kind !== "committed") throw new Error(`The end of a run was not committed: ${outcome?.kind}.`);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = now();
  await work();
  return now() - begun;
}
