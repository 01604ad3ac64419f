/**
 * Reads from a standby: a physical replica of the primary. Before each use, this process asks the primary for its position, and asks the standby on the
 * connection of the read whether it has replayed that position. So a read from the standby is as fresh as one from the primary (docs/decisions/0035).
 */
import type { CompiledQuery } from "kysely";
import pg from "pg";
import type { StandbyOutcome } from "../../model/measurements.ts";
import type { Runtime } from "../../model/runtime.ts";
import type { ReadableDatabase } from "../database.ts";
import { classifyPostgresError, describeError } from "../database-errors.ts";
import { standbyConfig } from "./client.ts";
import { Hosts } from "./hosts.ts";
import { type Position, PrimaryPosition } from "./primary-position.ts";
import { destroyConnection } from "./socket.ts";
import { StatementNames } from "./statement-names.ts";

/**
 * The requirement of a read. `state`: everything that is visible on the primary. `history`: rows of the primary's history that never change. The reader
 * recognizes rows that are not there yet.
 */
export type Need = "state" | "history";

/** A connection to a standby that has what a read needs. */
export interface StandbyConnection {
  /** Runs one statement. After an error, the connection must not be used for further reads. */
  read<O>(query: CompiledQuery<O>): Promise<readonly O[]>;
  /** Returns the connection, with the outcome of its reads. */
  release(outcome: StandbyOutcome): void;
}

/** Dependencies and options of a standby. */
export interface StandbyOptions {
  /** Connection string of the standby itself: a pooler must not spread one connection's statements over several servers. */
  readonly url: string;
  readonly primary: Pick<ReadableDatabase, "read">;
  /** The process whose lease shows that the standby follows the primary. */
  readonly processId: string;
  readonly poolSize: number;
  readonly runtime: Runtime;
}

/** Milliseconds for which a read waits until the standby has replayed the primary's position. */
const maxReplayWait = 100;
/** Milliseconds between two questions while it waits. */
const replayPollInterval = 5;
/** Milliseconds for which the primary serves all reads after the standby could not serve one. */
const pause = 1_000;
/** Milliseconds after which a standby that does not answer the check counts as failed. */
const checkTimeout = 1_000;
/** Consecutive failed tries before the log mentions them. */
const triesBeforeLog = 3;

/** The check and the read are separate statements: a statement's snapshot may be older than a position that the same statement reads. */
const check = `select pg_is_in_recovery() as "isStandby",
  coalesce(pg_last_wal_replay_lsn() >= $2::pg_lsn, false) as "isCurrent",
  (select xmin::text || '/' || lease_until from processes where id = $1) as token`;

interface CheckRow {
  readonly isStandby: boolean;
  readonly isCurrent: boolean;
  readonly token: string | null;
}

/** Tries of one need since the standby could serve it. */
interface Failures {
  readonly outcome: StandbyOutcome;
  /** Until this time, no read tries the standby. */
  readonly until: number;
  readonly tries: number;
}

export class Standby {
  readonly #options: StandbyOptions;
  readonly #hosts: Hosts;
  readonly #pool: pg.Pool;
  readonly #names = new StatementNames();
  readonly #position: PrimaryPosition;
  readonly #failures = new Map<Need, Failures>();

  constructor(options: StandbyOptions) {
    this.#options = options;
    this.#position = new PrimaryPosition(options.primary, options.processId);
    this.#hosts = new Hosts(options.url, options.runtime.log, "standby");
    this.#pool = new pg.Pool({ ...standbyConfig(options.url, options.poolSize), Client: this.#hosts.clientClass });
    this.#pool.on("error", () => undefined);
    this.#pool.on("connect", (client) => client.on("error", () => undefined));
  }

  /** A connection on which reads may begin; undefined if the primary must serve them. Never throws. */
  async connect(need: Need): Promise<StandbyConnection | undefined> {
    const { clock, measurements } = this.#options.runtime;
    const failures = this.#failures.get(need);
    if (failures && clock.monotonic() < failures.until) {
      measurements.standbyRead(failures.outcome);
      return undefined;
    }
    // Only this read tries the standby, until it has an answer.
    if (failures) this.#failures.set(need, { ...failures, until: clock.monotonic() + pause });
    if (this.#isBusy) {
      measurements.standbyRead("busy");
      return undefined;
    }
    const connection = await this.#tryConnect(need);
    if (typeof connection !== "string") return connection;
    measurements.standbyRead(connection);
    return undefined;
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  /** Whether as many reads wait for a connection as there are connections. */
  get #isBusy(): boolean {
    return this.#pool.waitingCount >= this.#options.poolSize;
  }

  async #tryConnect(need: Need): Promise<StandbyConnection | StandbyOutcome> {
    const position = this.#position.read();
    // It is awaited later, when there is a connection.
    position.catch(() => undefined);
    let client: pg.PoolClient | undefined;
    try {
      client = await this.#pool.connect();
      const known = await position;
      // This process has not renewed its lease since the primary began or changed: nothing shows yet that the standby follows this primary.
      const outcome = known === undefined ? "behind" : await this.#compare(client, known, need);
      if (outcome === "served") {
        this.#succeeded(need);
        return this.#connectionOf(client, need);
      }
      client.release();
      // The next connection looks for a standby among all hosts.
      if (outcome === "foreign" && this.#hosts.isSearched) this.#hosts.leave();
      if (known !== undefined) this.#failed(outcome, need);
      return outcome;
    } catch (error) {
      if (client) destroy(client);
      this.#failed("failed", need, error);
      return "failed";
    }
  }

  /** Compares the standby with the primary's position, and waits a little if it is behind. Returns `served` if the connection has what is needed. */
  async #compare(client: pg.PoolClient, position: Position, need: Need): Promise<StandbyOutcome> {
    const { clock } = this.#options.runtime;
    const { lsn } = position;
    let { token } = position;
    for (const deadline = clock.monotonic() + maxReplayWait; ; ) {
      const query = { name: "check", text: check, values: [this.#options.processId, lsn], query_timeout: checkTimeout };
      const { rows } = await client.query<CheckRow>(query);
      const [row] = rows;
      if (!row?.isStandby) return "foreign";
      if (row.token === token && (need === "history" || row.isCurrent)) return "served";
      if (clock.monotonic() >= deadline) return row.isCurrent ? "foreign" : "behind";
      // The lease may have been renewed after the position was read.
      if (row.isCurrent) token = (await this.#position.read())?.token ?? token;
      else await clock.sleep(replayPollInterval);
    }
  }

  #connectionOf(client: pg.PoolClient, need: Need): StandbyConnection {
    let failure: unknown;
    return {
      read: async <O>({ sql, parameters }: CompiledQuery<O>) => {
        const name = this.#names.nameOf(sql, parameters.length);
        try {
          const { rows } = await client.query({ text: sql, values: [...parameters], name } as pg.QueryConfig);
          return rows as O[];
        } catch (error) {
          // A permanent error is about the statement, not about the standby.
          if (classifyPostgresError(error) !== "permanent") failure ??= error;
          throw error;
        }
      },
      release: (outcome) => {
        if (failure === undefined) client.release();
        else {
          destroy(client);
          this.#failed("failed", need, failure);
        }
        this.#options.runtime.measurements.standbyRead(failure === undefined ? outcome : "failed");
      },
    };
  }

  #succeeded(need: Need): void {
    const failures = this.#failures.get(need);
    this.#failures.delete(need);
    if (failures && failures.tries >= triesBeforeLog)
      this.#options.runtime.log.info({ standby: this.#hosts.label }, "The standby serves reads again.");
  }

  #failed(outcome: StandbyOutcome, need: Need, error?: unknown): void {
    const { clock, log } = this.#options.runtime;
    const tries = (this.#failures.get(need)?.tries ?? 0) + 1;
    this.#failures.set(need, { outcome, until: clock.monotonic() + pause, tries });
    if (tries !== triesBeforeLog) return;
    const fields = {
      standby: this.#hosts.label,
      reason: outcome,
      ...(error === undefined ? {} : describeError(error)),
    };
    log.warn(fields, "The standby does not serve reads; the primary serves them.");
  }
}

function destroy(client: pg.PoolClient): void {
  client.release(true);
  destroyConnection(client as unknown as pg.Client);
}
