/** The store, on whichever engine. */
import { claims } from "./claim.ts";
import { compaction } from "./compact.ts";
import type { Engine } from "./engine.ts";
import { logReads } from "./heads.ts";
import { messageReads } from "./messages.ts";
import { processes } from "./processes.ts";
import { removals } from "./remove.ts";
import { runReads } from "./runs.ts";
import type { Availability, Store } from "./seam.ts";
import { sessionReads } from "./sessions.ts";

/** Makes the store of an opened engine. */
export function makeStore(engine: Engine): Store {
  return {
    capabilities: engine.capabilities,
    get availability(): Availability {
      return engine.availability;
    },
    nextRunKey: () => engine.nextRunKey(),
    append: (writes) => engine.append(writes),
    ping: () => engine.ping(),
    close: () => engine.close(),
    ...logReads(engine),
    ...claims(engine),
    ...processes(engine),
    ...runReads(engine),
    ...messageReads(engine),
    ...sessionReads(engine),
    ...removals(engine),
    ...compaction(engine),
  };
}
