/** A chaos run: replicas on one Postgres with random kills, stops and shutdowns, under clients that always retry. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { unpackPreviousRelease } from "../support/previous-release.ts";
import { type ClientCounts, Clients } from "./clients.ts";
import { startPair, startSingle } from "./database.ts";
import { Random } from "./random.ts";
import { type Fault, Replicas, type Weights } from "./replicas.ts";
import { type Found, judge } from "./verdict.ts";

/** Duration, numbers of replicas and clients, and seed. */
export interface ChaosOptions {
  readonly milliseconds: number;
  readonly replicas: number;
  /** Server processes of each replica; undefined for one without a primary process. */
  readonly processes?: number | undefined;
  readonly clients: number;
  readonly seed: number;
  /** Minimum and maximum milliseconds between two faults. */
  readonly pause: readonly [least: number, most: number];
  /** Whether the database is a primary with a synchronous standby, which takes over. Default: one server, which restarts. */
  readonly failover?: boolean;
  /** Whether the replicas begin as processes of the previous release, and are replaced one by one. */
  readonly isUpdate?: boolean;
}

export interface ChaosResult extends Found {
  readonly faults: Readonly<Partial<Record<Fault, number>>>;
  readonly clients: ClientCounts;
  /** Milliseconds during which processes of both releases ran. */
  readonly overlap: number;
}

/** Milliseconds within which all runs must end after the last fault. */
const settleLimit = 120_000;

const withFailovers: Weights = { kill: 4, stop: 2, term: 2, database: 4 };

export async function runChaos(options: ChaosOptions): Promise<ChaosResult> {
  const random = new Random(options.seed);
  const folder = await mkdtemp(join(tmpdir(), "troupe-chaos-"));
  const effects = join(folder, "effects");
  const database = await (options.failover ? startPair() : startSingle());
  try {
    await using previous = options.isUpdate ? await unpackPreviousRelease() : undefined;
    await using replicas = await Replicas.start(
      options.replicas,
      database,
      effects,
      random,
      options.failover ? withFailovers : undefined,
      { previous: previous?.launcher, processes: options.processes },
    );
    const clients = new Clients(replicas, random);
    const working = clients.work(options.clients);
    const updating = previous ? update(replicas, options) : Promise.resolve(0);
    // Awaited below: until then, a failure is not unhandled.
    updating.catch(() => undefined);
    for (const end = Date.now() + options.milliseconds; Date.now() < end; ) {
      await sleep(random.between(...options.pause));
      replicas.strike();
    }
    const overlap = await updating;
    await replicas.mended();
    clients.finish();
    await Promise.race([working, sleep(settleLimit, undefined, { ref: false })]);
    await settled(database.primaryUrl);
    const found = await judge(clients.runs, replicas.client(random), database.primaryUrl, effects, options.isUpdate);
    return { ...found, faults: replicas.counts, clients: clients.counts, overlap };
  } finally {
    await database.dispose();
    await rm(folder, { recursive: true, force: true });
  }
}

/** A rolling update: the migrations first, then one process after the other. Returns for how long both releases ran. */
async function update(replicas: Replicas, { milliseconds }: ChaosOptions): Promise<number> {
  await sleep(milliseconds / 5);
  await replicas.migrate();
  const began = Date.now();
  do await sleep(milliseconds / 8);
  while ((await replicas.replaceOne()) > 0);
  return Date.now() - began;
}

/** Waits for the end of all runs, also of runs without followers, up to the limit. */
async function settled(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (const limit = Date.now() + settleLimit; Date.now() < limit; await sleep(200)) {
    const { rows } = await client.query("select 1 from run_heads where status in ('PENDING', 'RUNNING') limit 1");
    if (rows.length === 0) break;
  }
  await client.end();
}
