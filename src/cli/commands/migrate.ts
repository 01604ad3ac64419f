import { openStore } from "../../store/open.ts";
import type { DatabaseOptions } from "../options.ts";
import { commandRuntime } from "../runtime.ts";

/** `troupe migrate`: brings the database's schema up to date. */
export async function migrate({ database, directDatabase, dataDir }: DatabaseOptions): Promise<void> {
  const { store, signals } = await openStore(
    { databaseUrl: database, databaseDirectUrl: directDatabase, dataDirectory: dataDir },
    commandRuntime(),
  );
  console.log(`${store.capabilities.label} is up to date.`);
  await signals.close();
  await store.close();
}
