/**
 * Detects a server that lacks committed writes of this process: an asynchronous standby that was promoted. The write-ahead log is replicated in
 * order, so a server that has the newest commit has all earlier ones.
 */
import type { ClientBase } from "pg";
import type { Outcome, Write } from "../contract/store.ts";
import { classifyPostgresError } from "../database-errors.ts";

interface NewestCommit {
  readonly key: number;
  /** Index of the last event; -1 for a run without events. */
  readonly lastIndex: number;
}

/** The timeline changes with every promotion. Null on a standby. */
const timelineQuery =
  "select case when pg_is_in_recovery() then null else left(pg_walfile_name(pg_current_wal_lsn()), 8) end as timeline";

const keptQuery = `select exists (select 1 from deleted_runs where run_key = $1)
    or exists (select 1 from runs where key = $1)
      and ($2 < 0 or exists (select 1 from segments where run_key = $1 and last_index >= $2)) as kept`;

/** Removes the runs of a process from its current attempts: another attempt continues each of them after its last stored event. */
const fenceQuery = `update run_heads set attempt = attempt + 1, owner = $1::text || ' before timeline ' || $2::text
  where owner = $1 and status = 'RUNNING'`;

/** The sequence may have lost its newest values, too: no key that was used on the old server is used again. */
const skipKeysQuery = "select setval('run_keys', nextval('run_keys') + 1000000)";

export class LostCommits {
  readonly #processId: string;
  #timeline: string | undefined;
  #newest: NewestCommit | undefined;

  constructor(processId: string) {
    this.#processId = processId;
  }

  /** Remembers the newest commit of a flush. */
  committed(writes: readonly Write[], outcomes: readonly Outcome[]): void {
    for (let place = writes.length - 1; place >= 0; place--) {
      const [write, outcome] = [writes[place], outcomes[place]];
      if (write === undefined || (outcome?.kind !== "committed" && outcome?.kind !== "created")) continue;
      const lastIndex = write.kind === "run" ? (write.segment?.lastIndex ?? -1) : -1;
      this.#newest = { key: write.key, lastIndex };
      return;
    }
  }

  /**
   * Checks the server of a new connection before the first write. If it lacks the newest commit, the process's runs are fenced: appending to their
   * logs would leave holes. Returns whether commits are lost.
   */
  async check(client: ClientBase): Promise<boolean> {
    const timeline = await timelineOf(client);
    const isSame = this.#timeline === undefined || timeline === undefined || timeline === this.#timeline;
    const isLost = !isSame && this.#newest !== undefined && !(await hasCommit(client, this.#newest));
    if (isLost) {
      await client.query({ text: fenceQuery, values: [this.#processId, timeline] });
      await client.query(skipKeysQuery);
      this.#newest = undefined;
    }
    // Only now: if the connection fails before, the next one checks again.
    this.#timeline = timeline ?? this.#timeline;
    return isLost;
  }
}

async function timelineOf(client: ClientBase): Promise<string | undefined> {
  try {
    const { rows } = await client.query<{ timeline: string | null }>(timelineQuery);
    return rows[0]?.timeline ?? undefined;
  } catch (error) {
    // Some managed servers have no write-ahead log to ask for; their standbys share its storage.
    if (classifyPostgresError(error) === "disconnected") throw error;
    return undefined;
  }
}

async function hasCommit(client: ClientBase, { key, lastIndex }: NewestCommit): Promise<boolean> {
  const { rows } = await client.query<{ kept: boolean }>({ text: keptQuery, values: [key, lastIndex] });
  return rows[0]?.kept === true;
}
