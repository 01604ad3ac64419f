/** What the parts of the engine share. */
import type { Registry } from "../define/registry.ts";
import type { Journal } from "../events/journal.ts";
import type { Runtime } from "../model/runtime.ts";
import type { Settings } from "../model/settings.ts";
import type { Signals, Store } from "../store/seam.ts";
import type { Lease } from "./process/lease.ts";

/** What a process does: `api` leaves background runs to others, `worker` executes what waits and takes no starts, `all` does everything. */
export type Role = (typeof roles)[number];

export const roles = ["api", "worker", "all"] as const;

export interface EngineParts {
  readonly store: Store;
  readonly signals: Signals;
  readonly journal: Journal;
  readonly lease: Lease;
  readonly registry: Registry;
  readonly runtime: Runtime;
  readonly settings: Settings;
  /** What this process does of the platform's work. */
  readonly role: Role;
  /** This process's id: the owner of the runs that it executes. */
  readonly processId: string;
}
