/** The store, on whichever database. */
import { claims } from "./claim.ts";
import { compaction } from "./compact.ts";
import { continues } from "./continues.ts";
import type { Database } from "./database.ts";
import { logReads } from "./heads.ts";
import { messageReads } from "./messages.ts";
import { processes } from "./processes.ts";
import { removals } from "./remove.ts";
import { runReads } from "./runs.ts";
import type { Availability, Store } from "./seam.ts";
import { sessionCopies } from "./session-copies.ts";
import { sessionReads } from "./sessions.ts";
import { starts } from "./starts.ts";

/** Makes the store of an opened database. */
export function makeStore(database: Database): Store {
  return {
    capabilities: database.capabilities,
    get availability(): Availability {
      return database.availability;
    },
    nextRunKey: () => database.nextRunKey(),
    append: (writes) => database.append(writes),
    ping: () => database.ping(),
    close: () => database.close(),
    ...logReads(database),
    ...claims(database),
    ...continues(database),
    ...starts(database),
    ...processes(database),
    ...runReads(database),
    ...messageReads(database),
    ...sessionReads(database),
    ...sessionCopies(database),
    ...removals(database),
    ...compaction(database),
  };
}
