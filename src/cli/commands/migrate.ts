import { openStore } from "../../store/open.ts";
import type { DatabaseOptions } from "../options.ts";
import { commandRuntime } from "../runtime.ts";

/** `troupe migrate`: brings the database's schema up to date. */
export async function migrate({ database, directDatabase, dataDir }: DatabaseOptions): Promise<void> {
  const runtime = commandRuntime();
  const processId = runtime.randomness.uuid();
  const config = { database, directDatabase, dataDir, migrate: true, runtime, processId };
  // A migration reads no encrypted value, so it needs no key.
  const { store, signals } = await openStore({ ...config, keyProvider: "unused" });
  console.log(`${store.capabilities.label} is up to date.`);
  await signals.close();
  await store.close();
}
