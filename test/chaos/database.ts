/** The database of a chaos run: one Postgres server that restarts, or a primary and a synchronous standby that take turns. */
import { setTimeout as sleep } from "node:timers/promises";
import { type PostgresServer, startPostgres } from "../support/postgres-server.ts";
import { type PostgresStandby, startStandby } from "../support/postgres-standby.ts";
import type { Random } from "./random.ts";

export interface ChaosDatabase {
  /** The connection string of the replicas. */
  readonly url: string;
  /** The connection string of the server that accepts writes. */
  readonly primaryUrl: string;
  /** Injects a fault. Resolves when the database is whole again. */
  disturb(random: Random): Promise<void>;
  dispose(): Promise<void>;
}

/** One server, which stops or crashes, and restarts. */
export async function startSingle(): Promise<ChaosDatabase> {
  const server = await startPostgres();
  return {
    url: server.url,
    primaryUrl: server.url,
    async disturb(random) {
      await (random.fraction() < 0.5 ? server.kill() : server.stop());
      await sleep(random.between(0, 1_500));
      await server.restart();
    },
    dispose: () => server.dispose(),
  };
}

/** A primary and a synchronous standby. A fault ends the primary and promotes the standby; a copy of the new primary becomes the standby. */
export async function startPair(): Promise<ChaosDatabase> {
  let primary: PostgresServer = await startPostgres();
  let standby: PostgresStandby = await startStandby(primary, { synchronous: true });
  const hosts = [primary, standby.server].map(({ url }) => new URL(url).host).join(",");
  const url = `${primary.url.replace(/@[^/]*/, `@${hosts}`)}?target_session_attrs=read-write`;
  return {
    url,
    get primaryUrl() {
      return primary.url;
    },
    async disturb(random) {
      const old = primary;
      // Kill -9, or a machine that no longer responds: its connections stay open until it is fenced.
      const isSilent = random.fraction() < 0.3;
      if (isSilent) old.freeze();
      else await old.killHard();
      await sleep(random.between(0, 1_500));
      await standby.promote();
      primary = standby.server;
      if (isSilent) await sleep(random.between(0, 5_000));
      const port = Number(new URL(old.url).port);
      // The old primary never runs again: its data is deleted.
      await old.dispose();
      standby = await startStandby(primary, { synchronous: true, port });
    },
    async dispose() {
      await Promise.all([primary.dispose(), standby.server.dispose()]);
    },
  };
}
