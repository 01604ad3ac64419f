/** Describes a standby for `troupe doctor`. */
import { describeError } from "../database-errors.ts";
import { checkConnectionString } from "./client.ts";
import { Hosts } from "./hosts.ts";

/** The state of a standby. */
export interface StandbyState {
  /** Whether it serves reads. */
  readonly serves: boolean;
  readonly text: string;
}

const system = "(select system_identifier::text from pg_control_system()) as system";

/** Compares a standby with its primary. @throws ConfigurationError for an invalid connection string */
export async function standbyState(url: string, primaryUrl: string): Promise<StandbyState> {
  checkConnectionString(url, "standby");
  const hosts = new Hosts(url, undefined, "standby");
  const primary = await new Hosts(primaryUrl).withClient(async (client) => {
    const { rows } = await client.query(`select ${system}, pg_current_wal_lsn()::text as lsn`);
    return rows[0];
  });
  try {
    const { rows } = await hosts.withClient((client) =>
      client.query(
        `select ${system}, pg_is_in_recovery() as "isStandby", pg_wal_lsn_diff($1::pg_lsn, pg_last_wal_replay_lsn())::bigint as bytes,
          extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp())::float8 as seconds`,
        [primary.lsn],
      ),
    );
    const { system: own, isStandby, bytes, seconds } = rows[0];
    if (!isStandby || own !== primary.system)
      return { serves: false, text: `${hosts.label} is not a standby of the database: the primary serves all reads` };
    const behind = Math.max(0, bytes ?? 0);
    const age = behind === 0 ? "" : `; the last transaction that it replayed is ${Number(seconds).toFixed(1)} s old`;
    return { serves: true, text: `${hosts.label}, ${behind} bytes behind the primary${age}` };
  } catch (error) {
    const { message } = describeError(error);
    return { serves: false, text: `${hosts.label} cannot be used: ${message}. The primary serves all reads` };
  }
}
