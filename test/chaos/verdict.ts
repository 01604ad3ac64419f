/** What was lost, repeated or contradicted, counted from the stored logs, the tables and the file of effects. */
import { readFile } from "node:fs/promises";
import pg from "pg";
import type { StreamClient } from "../support/stream-client.ts";
import { Digest, type FollowedRun } from "./followed-run.ts";

/** All of it must be 0. */
export interface Verdict {
  /** Acknowledged runs that are not there. */
  runsLost: number;
  /** Runs that never came to an end. */
  runsUnfinished: number;
  /** Runs that ended with an error: nothing that was done to the replicas is one. */
  runsFailed: number;
  /** Events that a client did not get, and holes in stored logs. */
  eventsLost: number;
  /** Events that a client got twice, over all its connections. */
  eventsRepeated: number;
  /** Clients whose bytes are not those of the stored log. */
  readersContradicted: number;
  /** Runs without exactly one terminal event, as the last one, that says what the run's record says. */
  endsContradicted: number;
  /** Runs that went on to another end although a cancel was acknowledged before. */
  cancelsLost: number;
  /** Calls of a tool that may not be repeated which took effect twice. */
  effectsRepeated: number;
  /** Runs whose tool that may be repeated got another idempotency key. */
  keysChanged: number;
}

/** How much was looked at. */
export interface Seen {
  runs: number;
  events: number;
  completed: number;
  cancelled: number;
  /** Runs that were taken over at least once. */
  recovered: number;
  effects: number;
  /** Calls that a takeover made again, as they may be. */
  effectsAgain: number;
}

export interface Found {
  readonly verdict: Verdict;
  readonly seen: Seen;
  /** What the runs say that failed: how often each. */
  readonly failures: Map<string, number>;
}

export async function judge(
  runs: readonly FollowedRun[],
  client: StreamClient,
  url: string,
  effects: string,
): Promise<Found> {
  const found: Found = { verdict: noFaults(), seen: nothingSeen(), failures: new Map() };
  const left = [...runs];
  const reader = async (): Promise<void> => {
    for (let run = left.pop(); run; run = left.pop()) await judgeRun(found, run, client);
  };
  await Promise.all(Array.from({ length: 8 }, reader));
  await judgeTables(found, url);
  await judgeEffects(found, effects);
  return found;
}

async function judgeRun({ verdict, seen, failures }: Found, run: FollowedRun, client: StreamClient): Promise<void> {
  seen.runs++;
  verdict.eventsRepeated += run.repeated;
  verdict.eventsLost += run.skipped;
  const record = await client.get(`/${run.component}/runs/${run.runId}?session_id=${run.sessionId}`);
  if (record.status !== 200) {
    verdict.runsLost++;
    return;
  }
  const log = await client.log(run.component, run.runId);
  const digest = new Digest();
  for (const { raw } of log) digest.add(raw);
  seen.events += log.length;
  verdict.eventsLost += Math.max(0, log.length - 1 - run.cursor) + log.filter(({ id }, place) => id !== place).length;
  if (digest.value !== run.digest.value) verdict.readersContradicted++;
  const own = log.filter(({ data }) => data.run_id === run.runId).map(({ event }) => event?.replace("Team", "") ?? "");
  const ends = own.filter((event) => event in statusOf);
  const status = statusOf[log.at(-1)?.event?.replace("Team", "") ?? ""];
  if (ends.length !== 1 || status === undefined || status !== record.body.status) verdict.endsContradicted++;
  if (run.mustBeCancelled && status !== "CANCELLED") verdict.cancelsLost++;
  if (status === "COMPLETED") seen.completed++;
  if (status === "CANCELLED") seen.cancelled++;
  if (status === "ERROR") {
    verdict.runsFailed++;
    const said = String(log.at(-1)?.data.content);
    failures.set(said, (failures.get(said) ?? 0) + 1);
  }
  if (own.includes("RunRecovered")) seen.recovered++;
}

const statusOf: Readonly<Record<string, string>> = {
  RunCompleted: "COMPLETED",
  RunCancelled: "CANCELLED",
  RunError: "ERROR",
};

/** Also the runs whose start was never answered: they must have ended, with a whole log. */
async function judgeTables({ verdict }: Found, url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const unfinished = await client.query(
      "select count(*)::int as runs from run_heads where status not in ('COMPLETED', 'CANCELLED', 'ERROR')",
    );
    verdict.runsUnfinished += unfinished.rows[0].runs;
    const holes = await client.query(
      `select count(*)::int as holes from (
         select first_index, lag(last_index, 1, -1) over (partition by run_key order by last_index) as before from segments) s
       where first_index <> before + 1`,
    );
    verdict.eventsLost += holes.rows[0].holes;
  } finally {
    await client.end();
  }
}

interface Effect {
  readonly name: "note" | "pay";
  readonly key: string;
  readonly run: string;
}

/** Every run calls each tool once: a second line is a repetition, whatever its key. */
async function judgeEffects({ verdict, seen }: Found, file: string): Promise<void> {
  const keys = new Map<string, string>();
  const text = await readFile(file, "utf8").catch(() => "");
  for (const line of text.split("\n").filter(Boolean)) {
    const { name, key, run } = JSON.parse(line) as Effect;
    const before = keys.get(`${name} ${run}`);
    keys.set(`${name} ${run}`, key);
    seen.effects++;
    if (before === undefined) continue;
    if (name === "note") verdict.effectsRepeated++;
    else if (before === key) seen.effectsAgain++;
    else verdict.keysChanged++;
  }
}

export function noFaults(): Verdict {
  return {
    runsLost: 0,
    runsUnfinished: 0,
    runsFailed: 0,
    eventsLost: 0,
    eventsRepeated: 0,
    readersContradicted: 0,
    endsContradicted: 0,
    cancelsLost: 0,
    effectsRepeated: 0,
    keysChanged: 0,
  };
}

function nothingSeen(): Seen {
  return { runs: 0, events: 0, completed: 0, cancelled: 0, recovered: 0, effects: 0, effectsAgain: 0 };
}
