/** A soak of schedules that are due every second, on replicas with kills, stops and shutdowns; every tick is checked afterwards. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { Client } from "../conformance/support/client.ts";
import { startSingle } from "./database.ts";
import { Random } from "./random.ts";
import { type Fault, Replicas } from "./replicas.ts";

/** Duration, number of replicas, and seed. */
export interface SoakOptions {
  readonly milliseconds: number;
  readonly replicas: number;
  readonly seed: number;
  /** Minimum and maximum milliseconds between two faults. */
  readonly pause: readonly [least: number, most: number];
}

/** Counts of ticks, runs and faults. */
export interface SoakResult {
  readonly faults: Readonly<Partial<Record<Fault, number>>>;
  readonly seen: Readonly<Record<string, number>>;
  /** Violations: every count must be 0. */
  readonly wrong: Readonly<Record<"lost" | "twice" | "unfinished" | "failed" | "runs without a record", number>>;
}

/** Milliseconds within which all fires must end after the last fault. */
const settleLimit = 600_000;

const message = JSON.stringify({ words: 8, delay: 10 });
const talk = { endpoint: "/agents/talker/runs", payload: { message } };
const plans = [
  { ...talk, name: "allow", overlap: "allow" },
  { ...talk, name: "queue", overlap: "queue" },
  { ...talk, name: "skip", overlap: "skip" },
  { endpoint: "/teams/desk/runs", payload: { message }, name: "team", overlap: "allow" },
  { endpoint: "/info", method: "GET", name: "plain", overlap: "allow" },
];

export async function runSoak(options: SoakOptions): Promise<SoakResult> {
  const random = new Random(options.seed);
  const folder = await mkdtemp(join(tmpdir(), "troupe-soak-"));
  const database = await startSingle();
  try {
    await using replicas = await Replicas.start(options.replicas, database, join(folder, "effects"), random);
    const end = Date.now() + options.milliseconds;
    const client = new Client(replicas.client(random).address.href);
    for (const plan of plans) {
      const whole = { ...plan, cron_expr: "* * * * * *", catch_up: "all", ends_at: Math.floor(end / 1_000) };
      const headers = { "content-type": "application/json" };
      const made = await client.send("/schedules", { method: "POST", headers, body: JSON.stringify(whole) });
      if (made.status !== 201) throw new Error(`A schedule was rejected: ${made.text}`);
    }
    while (Date.now() < end) {
      await sleep(Math.min(random.between(...options.pause), Math.max(end - Date.now(), 0)));
      replicas.strike();
    }
    await replicas.mended();
    return { ...(await judge(database.primaryUrl)), faults: replicas.counts };
  } finally {
    await database.dispose();
    await rm(folder, { recursive: true, force: true });
  }
}

type Judged = Omit<SoakResult, "faults">;

async function judge(url: string): Promise<Judged> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const count = async (text: string): Promise<number> => Number((await client.query(text)).rows[0]?.count ?? 0);
  const open = `select (select count(*) from schedule_fires where is_open = 1)
    + (select count(*) from schedules where next_run_at is not null) as count`;
  for (const limit = Date.now() + settleLimit; Date.now() < limit && (await count(open)) > 0; ) await sleep(500);
  // Each schedule is due every second, from the second after its creation.
  const expected = "(select id, generate_series(created_at / 1000 + 1, ends_at / 1000) * 1000 as tick from schedules)";
  const of = (status: string) => count(`select count(*) from schedule_fires where status = '${status}'`);
  const late = `select percentile_cont(array[0.5, 0.99]) within group (order by triggered_at - tick) as late
    from schedule_fires f join schedules s on s.id = f.schedule_id where status = 'success' and overlap = 'allow'`;
  const { rows } = await client.query(late);
  const result: Judged = {
    seen: {
      ticks: await count(`select count(*) from ${expected} as e`),
      fired: await of("success"),
      skipped: await of("skipped"),
      "taken over": await count("select count(*) from schedule_fires where claims > 1"),
      runs: await count("select count(*) from runs where parent_key is null"),
      "late ms p50": Math.round(rows[0]?.late[0]),
      "late ms p99": Math.round(rows[0]?.late[1]),
    },
    wrong: {
      lost: await count(`select count(*) from ${expected} as e where not exists
        (select 1 from schedule_fires f where f.schedule_id = e.id and f.tick = e.tick)`),
      twice: await count(`select count(*) from (select 1 from schedule_fires where status <> 'skipped'
        group by schedule_id, tick having count(*) > 1) as t`),
      unfinished: await count("select count(*) from schedule_fires where is_open = 1"),
      failed: (await of("failed")) + (await of("cancelled")),
      "runs without a record": await count(`select count(*) from runs r where parent_key is null
        and not exists (select 1 from schedule_fires f where f.run_id = r.run_id)`),
    },
  };
  await client.end();
  return result;
}
