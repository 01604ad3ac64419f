/** Routes reads to a standby. This is the only place that chooses between the standby and the primary. */
import type { CompiledQuery } from "kysely";
import type { ReadStores, StandbyReads } from "./contract/standby.ts";
import type { Store } from "./contract/store.ts";
import type { ReadableDatabase } from "./database.ts";
import { Standby, type StandbyConnection, type StandbyOptions } from "./postgres/standby.ts";
import { logReads } from "./queries/logs/heads.ts";
import { messageReads } from "./queries/runs/messages.ts";
import { runReads } from "./queries/runs/runs.ts";
import { sessionReads } from "./queries/sessions/sessions.ts";
import { traceStore } from "./queries/trace/traces.ts";

/** Reads that a standby may serve. `segments` are the segments of ended runs. */
export interface RoutedReads extends StandbyReads, Pick<Store, "segments"> {
  close(): Promise<void>;
}

/** Opens a standby. It connects when it is first used: the server starts without it, too. */
export function openStandby(primary: ReadableDatabase, options: Omit<StandbyOptions, "primary">): RoutedReads {
  return standbyReads(new Standby({ ...options, primary }), primary);
}

/** Makes the reads of a standby and its primary. */
function standbyReads(standby: Pick<Standby, "connect" | "close">, primary: ReadableDatabase): RoutedReads {
  const { stores } = new Reader(primary);
  const idle: Reader[] = [];

  async function withReader<T>(connection: StandbyConnection, work: (stores: ReadStores) => Promise<T>): Promise<T> {
    const reader = idle.pop() ?? new Reader(primary);
    reader.connection = connection;
    try {
      return await work(reader.stores);
    } finally {
      reader.connection = undefined;
      idle.push(reader);
    }
  }

  return {
    async read(work) {
      const connection = await standby.connect("state");
      if (connection === undefined) return await work(stores);
      try {
        return await withReader(connection, work);
      } finally {
        connection.release("served");
      }
    },

    async segments(key, cursor, maxBytes) {
      const read = ({ store }: ReadStores) => store.segments(key, cursor, maxBytes);
      const connection = await standby.connect("history");
      if (connection === undefined) return await read(stores);
      let isThere = false;
      try {
        const found = await withReader(connection, read);
        const [first] = found;
        // Segments that begin at the cursor are right, however old they are. Without them, the standby may lack the events.
        isThere = first !== undefined && first.firstIndex <= cursor + 1;
        if (isThere) return found;
      } finally {
        connection.release(isThere ? "served" : "missing");
      }
      return await read(stores);
    },

    close: () => standby.close(),
  };
}

/** Stores for one piece of work at a time. Their statements are built once, and used by many pieces of work. */
class Reader implements ReadableDatabase {
  readonly dialect: ReadableDatabase["dialect"];
  readonly encryption: ReadableDatabase["encryption"];
  readonly stores: ReadStores;
  readonly #primary: ReadableDatabase;
  /** The standby, until a read from it fails: from then on the primary serves the work. */
  connection: StandbyConnection | undefined;

  constructor(primary: ReadableDatabase) {
    this.dialect = primary.dialect;
    this.encryption = primary.encryption;
    this.#primary = primary;
    const store = { ...logReads(this), ...runReads(this), ...messageReads(this), ...sessionReads(this) };
    this.stores = { store, traces: traceStore(this) };
  }

  async read<O>(query: CompiledQuery<O>): Promise<readonly O[]> {
    const { connection } = this;
    if (connection === undefined) return await this.#primary.read(query);
    let rows: readonly O[];
    try {
      rows = await connection.read(query);
    } catch {
      // The standby cancels reads of rows that the replay removes, or it is gone. An error of the statement occurs again on the primary.
      this.connection = undefined;
      return await this.#primary.read(query);
    }
    return this.encryption ? await this.encryption.opened(rows) : rows;
  }
}
