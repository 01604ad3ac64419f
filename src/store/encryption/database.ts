/** A database whose results are decrypted. Flushes encrypt and decrypt by themselves: see `changes.ts`. */
import type { CompiledQuery } from "kysely";
import type { Database } from "../database.ts";
import type { StatementResult, Transaction } from "../transaction.ts";
import type { Encryption } from "./encryption.ts";

/** Wraps a database. Without encryption it is returned as it is. */
export function decrypted(database: Database): Database {
  const { encryption } = database;
  if (encryption === undefined) return database;
  const { returnSpace, rewrite, releaseMemory, readInBackground, writeBuffer, alone } = database;
  const write: Database["write"] = (work) => {
    return encryption.withKeys(() => database.write(() => decryptedSteps(work, encryption)));
  };
  return {
    dialect: database.dialect,
    capabilities: database.capabilities,
    encryption,
    get availability() {
      return database.availability;
    },
    get connections() {
      return database.connections;
    },
    ...(writeBuffer && { writeBuffer }),
    nextRunKey: () => database.nextRunKey(),
    append: (writes) => database.append(writes),
    async read(query) {
      const rows = await database.read(query);
      return await encryption.opened(rows);
    },
    write,
    ping: () => database.ping(),
    ...(alone && { alone: (work, signal) => alone.call(database, work, signal) as ReturnType<typeof work> }),
    ...(readInBackground && {
      async readInBackground<O>(query: CompiledQuery<O>) {
        const rows: readonly O[] = await readInBackground.call<Database, [CompiledQuery<O>], Promise<readonly O[]>>(
          database,
          query,
        );
        return await encryption.opened(rows);
      },
    }),
    ...(returnSpace && { returnSpace: () => returnSpace.call(database) }),
    ...(rewrite && { rewrite: () => rewrite.call(database) }),
    ...(releaseMemory && { releaseMemory: () => releaseMemory.call(database) }),
    close: () => database.close(),
  };
}

function* decryptedSteps<T>(work: () => Transaction<T>, encryption: Encryption): Transaction<T> {
  const steps = work();
  let step = steps.next();
  while (!step.done) {
    const result: StatementResult = yield step.value;
    encryption.openRows(result.rows, true);
    step = steps.next(result);
  }
  return step.value;
}
