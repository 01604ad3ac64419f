import { Hosts } from "./hosts.ts";

/** Returns how many connections Postgres allows to users that are not superusers, those of other programs included. */
export async function connectionLimit(url: string): Promise<number> {
  // Postgres 16 added the second reserve.
  const text = `select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
    - coalesce(current_setting('reserved_connections', true), '0')::int as "limit"`;
  const { rows } = await new Hosts(url).withClient((client) => client.query<{ limit: number }>(text));
  return rows[0]?.limit ?? 0;
}
