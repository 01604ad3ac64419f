/** 10,000 schedules, 100 of which are due in the same second, repeatedly: how late they fire, and what the scheduler costs while none is due. */
import Sqlite from "better-sqlite3";
import { type Candidate, Figures, type QuestionOf } from "../parts/bench.ts";
import { type BenchDatabase, query } from "../parts/databases.ts";
import { percentile } from "../parts/statistics.ts";
import { printTable, spread } from "../parts/table.ts";
import { sleep } from "../parts/time.ts";

const all = 10_000;
const together = 100;
/** Seconds between two due times, and number of due times per pass. */
const pause = 5;
const rounds = 8;

/** Milliseconds from the tick to the attempt, to the run's row, and to the end of the record. */
const latenesses = `select f.triggered_at - f.tick as begun, r.created_at - f.tick as run, f.completed_at - f.tick as over
  from schedule_fires f join runs r on r.run_id = f.run_id where f.status = 'success'`;

type Lateness = { readonly begun: number; readonly run: number; readonly over: number };

export const schedules: QuestionOf = async (bench) => {
  const rows = [];
  for (const engine of bench.options.engines) {
    const database = await bench.database(engine);
    const server = await bench.troupe(engine, { database });
    const url = `http://127.0.0.1:${server.port}/schedules`;
    for (let made = 0; made < all - together; made += 100) {
      await Promise.all(Array.from({ length: 100 }, (_, n) => make(url, made + n, distant(made + n))));
    }
    const figures = new Figures();
    for (let pass = 0; pass < bench.options.passes; pass++) {
      const idle = await bench.during(server, () => sleep(20_000));
      const ids = [];
      for (let n = 0; n < together; n++) ids.push(await make(url, all + n, `* * * * * */${pause}`, rounds));
      const busy = await bench.during(server, () => recorded(server, database, together * rounds));
      for (const id of ids) await send(`${url}/${id}`, "DELETE");
      const shown = (values: readonly Lateness[], name: keyof Lateness) => ({
        [`${name} ms p50`]: percentile(
          values.map((one) => one[name]),
          0.5,
        ),
        [`${name} p99`]: percentile(
          values.map((one) => one[name]),
          0.99,
        ),
      });
      const found = busy.result;
      figures.add({
        fires: found.length,
        ...shown(found, "begun"),
        ...shown(found, "run"),
        ...shown(found, "over"),
        "CPU ms/fire": busy.cpu / found.length,
        "idle CPU ms/s": idle.cpu / idle.seconds,
        "loop max ms": busy.loopMax,
      });
    }
    rows.push({ database: engine, ...figures.cells(spread) });
    await server.process.end();
  }
  printTable(`${all} schedules, ${together} of them due in the same second`, rows);
};

/** A cron expression that is not due while the bench runs, different for most schedules. */
function distant(n: number): string {
  return `${n % 60} ${Math.floor(n / 60) % 24} ${1 + (n % 28)} ${1 + ((new Date().getUTCMonth() + 2) % 12)} *`;
}

async function make(url: string, n: number, cronExpr: string, maxFires?: number): Promise<string> {
  const plan = { name: `schedule ${n}`, cron_expr: cronExpr, endpoint: "/agents/answer/runs" };
  const body = { ...plan, payload: { message: "Hello" }, overlap: "allow", max_fires: maxFires };
  const { id } = (await send(url, "POST", body)) as { id: string };
  return id;
}

async function send(url: string, method: string, body?: unknown): Promise<unknown> {
  const json = { headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  const answer = await fetch(url, { method, ...(body === undefined ? {} : json) });
  if (!answer.ok) throw new Error(`${method} ${url} was answered ${answer.status}: ${await answer.text()}`);
  return answer.status === 204 ? undefined : answer.json();
}

/** Waits for that many fires. */
async function recorded({ name }: Candidate, database: BenchDatabase, count: number): Promise<readonly Lateness[]> {
  const patience = rounds * pause * 1_000 * 4;
  for (let waited = 0; ; waited += 1_000) {
    const found = await look(database);
    if (found.length >= count) return found;
    if (waited > patience) throw new Error(`Of ${count} fires on ${name} there were ${found.length}.`);
    await sleep(1_000);
  }
}

async function look({ listen }: BenchDatabase): Promise<readonly Lateness[]> {
  if (listen.database !== undefined) {
    const found = await query<Record<keyof Lateness, string>>(listen.database, latenesses);
    return found.map(({ begun, run, over }) => ({ begun: Number(begun), run: Number(run), over: Number(over) }));
  }
  const connection = new Sqlite(`${listen.dataDir}/troupe.sqlite`, { readonly: true });
  try {
    return connection.prepare<[], Lateness>(latenesses).all();
  } finally {
    connection.close();
  }
}
