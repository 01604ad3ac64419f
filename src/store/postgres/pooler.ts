/** Detects whether a connection string leads to Postgres itself, or to a pooler that gives each transaction a different session. */
import type pg from "pg";
import { ConfigurationError } from "../../errors.ts";
import { clientConfig } from "./client.ts";
import { Hosts } from "./hosts.ts";

/**
 * Whether a pooler in transaction mode is in between. The second of two connections begins a transaction. Behind such a pooler it gets the session
 * that the first one has just used, or forces the first one onto another session.
 */
export async function isPooled(url: string): Promise<boolean> {
  const hosts = new Hosts(url);
  const [first, second] = [hosts.client(clientConfig(url, {})), hosts.client(clientConfig(url, {}))];
  try {
    await first.connect();
    await second.connect();
    const before = await sessionOf(first);
    await second.query("begin");
    const taken = await sessionOf(second);
    const after = await sessionOf(first);
    await second.query("rollback");
    return taken === before || after !== before;
  } finally {
    await Promise.all([first, second].map((client) => client.end().catch(() => undefined)));
  }
}

/**
 * Rejects a database whose notifications, migrations and prepared statements would go through such a pooler. A server that does not respond is
 * accepted here: opening it reports the reason.
 * @throws ConfigurationError
 */
export async function rejectPooler(database: string, directDatabase: string | undefined): Promise<void> {
  if (!(await isPooled(directDatabase ?? database).catch(() => false))) return;
  throw new ConfigurationError(
    directDatabase === undefined
      ? "There is a pooler in transaction mode before Postgres, which passes no notifications: " +
          "give the address of Postgres itself, too, with --direct-database or DATABASE_DIRECT_URL."
      : "--direct-database (DATABASE_DIRECT_URL) leads to a pooler, not to Postgres itself.",
  );
}

async function sessionOf(client: pg.Client): Promise<unknown> {
  const { rows } = await client.query("select pg_backend_pid() as session");
  return rows[0]?.session;
}
