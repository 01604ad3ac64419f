/** What each database brings; everything else of the store is the same for both. */
import type { CompiledQuery } from "kysely";
import type { Availability, Outcome, Segment, StoreCapabilities, Write } from "./contract/store.ts";
import type { Dialect } from "./dialect.ts";
import type { Work } from "./work.ts";

/** Ends of live logs that are not in the tables yet. */
export interface LiveTails {
  /** Index that the next event of a run gets, as far as it has a tail. */
  nextIndex(key: number): number | undefined;
  /** Pieces of a run's tail that hold events after `cursor`. */
  after(key: number, cursor: number): readonly Segment[];
}

/** One database. */
export interface Database {
  readonly dialect: Dialect;
  readonly capabilities: StoreCapabilities;
  readonly availability: Availability;
  /**
   * Set where the tables alone are not the log. Such a database reads at once when it is asked: what is taken from the tails just before belongs
   * to the same moment.
   */
  readonly tails?: LiveTails;

  /** A run key that nothing else has. */
  nextRunKey(): number | Promise<number>;
  /** The group commit, with every retry. */
  append(writes: readonly Write[]): Promise<readonly Outcome[]>;
  /** Runs one statement that reads, on its own snapshot. */
  read<O>(query: CompiledQuery<O>): Promise<readonly O[]>;
  /** Runs one transaction. The work is called again when the database asks for it. */
  write<T>(work: () => Work<T>): Promise<T>;
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** One flush, tried once: its transaction is committed when this returns, or nothing of it is. */
export type TryFlush = (writes: readonly Write[], suspect: boolean) => readonly Outcome[] | Promise<readonly Outcome[]>;
