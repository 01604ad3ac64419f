/** The tables of memories. Times are milliseconds since the epoch, by the database's clock. */
import type { Generated } from "kysely";
import type { MemoryOrigin } from "../../model/memory.ts";

/** A memory. */
export interface MemoriesTable {
  /** Ascends in the order of creation. */
  key: Generated<number>;
  id: string;
  user_id: string;
  /** JSON text: `{memory, topics}`. */
  body: string;
  origin: MemoryOrigin;
  agent_id: string | null;
  team_id: string | null;
  run_id: string | null;
  session_id: string | null;
  /** Rises with every change. */
  revision: number;
  created_at: number;
  updated_at: number;
}

/** A user with memories. A transaction that changes memories of the user locks this row first. */
export interface MemoryUsersTable {
  user_id: string;
  memories: number;
  /** Time of the latest change of a memory that exists. */
  updated_at: number;
}
