/** The parts that a planted bug can replace: parts of a simulated process, and the facts of the database's decisions. */
import type { Registry } from "../../src/define/registry.ts";
import type { Tool } from "../../src/define/tool.ts";
import type { Lease, LeaseParts } from "../../src/engine/process/lease.ts";
import type { LiveVersions } from "../../src/engine/versions/live-versions.ts";
import type { JournalParts } from "../../src/events/journal.ts";
import type { LiveLogs } from "../../src/events/live-log.ts";
import type { RunLogs } from "../../src/events/run-logs.ts";
import type { Clock } from "../../src/model/runtime.ts";
import type { Settings } from "../../src/model/settings.ts";
import type { Store, Write } from "../../src/store/contract/store.ts";
import type { Facts } from "../../src/store/flush/facts.ts";
import type { SimulatedProcess, WatchedJournal } from "./process.ts";

/** Replacements of parts; omitted parts are the real ones. */
export interface Variant {
  facts?(facts: Facts, writes: readonly Write[]): Facts;
  store?(store: Store, process: SimulatedProcess): Store;
  journal?(parts: JournalParts): WatchedJournal;
  live?(settings: Settings, clock: Clock): LiveLogs;
  logs?(logs: RunLogs, process: SimulatedProcess): RunLogs;
  lease?(parts: LeaseParts): Lease;
  tool?(tool: Tool): Partial<Tool>;
  versions?(versions: LiveVersions, registry: Registry): LiveVersions;
}
