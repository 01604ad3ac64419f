/** Counts of lost, repeated and contradicted data, from the stored logs, the tables and the file of effects. */
import { readFile } from "node:fs/promises";
import pg from "pg";
import type { StreamClient } from "../support/stream-client.ts";
import { Digest, type FollowedRun } from "./followed-run.ts";

/** Violations: every count must be 0. */
export interface Verdict {
  /** Acknowledged runs that the database does not have. */
  runsLost: number;
  /** Runs that never ended. */
  runsUnfinished: number;
  /** Runs that ended with an error: no injected fault may cause one. */
  runsFailed: number;
  /** Events that a client did not receive, and gaps in stored logs. */
  eventsLost: number;
  /** Events that a client received twice, over all its connections. */
  eventsRepeated: number;
  /** Clients whose received bytes differ from the stored log. */
  readersContradicted: number;
  /** Runs whose log does not end with exactly one terminal event that matches the run's record. */
  endsContradicted: number;
  /** Runs that ended otherwise although a cancel was acknowledged before. */
  cancelsLost: number;
  /** Calls of a tool that is not idempotent with two effects. */
  effectsRepeated: number;
  /** Runs whose idempotent tool received a second idempotency key. */
  keysChanged: number;
  /** Tokens by which the usage of runs, of sessions and of the limit's counter differs from that of the stored answers. */
  usageContradicted: number;
}

/** Counts of checked data. */
export interface Seen {
  runs: number;
  events: number;
  completed: number;
  cancelled: number;
  /** Runs that another process has taken over at least once. */
  recovered: number;
  effects: number;
  /** Repeated calls of the idempotent tool after takeovers, which are allowed. */
  effectsAgain: number;
  /** Tokens of stored answers. */
  tokens: number;
}

export interface Found {
  readonly verdict: Verdict;
  readonly seen: Seen;
  /** Number of failed runs by error. */
  readonly failures: Map<string, number>;
}

export async function judge(
  runs: readonly FollowedRun[],
  client: StreamClient,
  url: string,
  effects: string,
  isUpdate = false,
): Promise<Found> {
  const found: Found = { verdict: noFaults(), seen: nothingSeen(), failures: new Map() };
  const left = [...runs];
  const reader = async (): Promise<void> => {
    for (let run = left.pop(); run; run = left.pop()) await judgeRun(found, run, client);
  };
  await Promise.all(Array.from({ length: 8 }, reader));
  await judgeTables(found, url, isUpdate);
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

/** Checks all stored runs, also runs whose start got no response: each must have ended with a complete log. */
async function judgeTables({ verdict, seen }: Found, url: string, isUpdate: boolean): Promise<void> {
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
    // It reads texts, which the database does not show.
    if (!process.env.TROUPE_ENCRYPTION_KEYS) await judgeUsage({ verdict, seen }, client, isUpdate);
  } finally {
    await client.end();
  }
}

/**
 * The usage of every stored answer is in its tag. Runs, sessions and counters must have the same sums. The previous release does not count for
 * limits, and leaves out what members of a cancelled team have used: after an update, only the sums of other runs are compared.
 */
async function judgeUsage(
  { verdict, seen }: Pick<Found, "verdict" | "seen">,
  client: pg.Client,
  isUpdate: boolean,
): Promise<void> {
  const answers = await client.query<{ body: string; root: string; status: string }>(
    `select m.body, root.component_id as root, h.status from messages m join runs r on r.key = m.run_key join runs root on root.key = r.root_key
      join run_heads h on h.run_key = root.key where m.body like '{"role":"assistant"%'`,
  );
  const tags = new Set<string>();
  let [ofTeam, compared] = [0, 0];
  for (const { body, root, status } of answers.rows) {
    const { content } = JSON.parse(body) as { content: string };
    for (const [tag, , input, output] of content.matchAll(/#([-\w]+):(\d+):(\d+)#/g)) {
      if (tags.has(tag)) verdict.usageContradicted++;
      tags.add(tag);
      const tokens = Number(input) + Number(output);
      seen.tokens += tokens;
      if (!isUpdate || status !== "CANCELLED") compared += tokens;
      if (root === "desk") ofTeam += tokens;
    }
  }
  const runs = await client.query<{ output: string | null; status: string }>(
    "select r.output, h.status from runs r join run_heads h on h.run_key = r.root_key where r.output is not null",
  );
  const metrics = runs.rows
    .filter(({ status }) => !isUpdate || status !== "CANCELLED")
    .map(({ output }) => JSON.parse(output ?? "{}").metrics?.total_tokens ?? 0);
  const sessions = await client.query<{ usage: string }>("select usage from sessions where usage is not null");
  const models = sessions.rows.flatMap(({ usage }) => JSON.parse(usage) as { total_tokens: number }[]);
  const counters = await client.query<{ tokens: string }>("select tokens from usage_counters");
  const sums = [metrics, models.map((model) => model.total_tokens), counters.rows.map(({ tokens }) => Number(tokens))];
  const [ofRuns = 0, ofSessions = 0, counted = 0] = sums.map((all) => all.reduce((sum, one) => sum + one, 0));
  verdict.usageContradicted += Math.abs(ofRuns - compared);
  if (isUpdate) verdict.usageContradicted += Math.max(0, counted - ofTeam) + Math.max(0, ofSessions - seen.tokens);
  else verdict.usageContradicted += Math.abs(ofSessions - seen.tokens) + Math.abs(counted - ofTeam);
}

interface Effect {
  readonly name: "note" | "pay";
  readonly key: string;
  readonly run: string;
}

/** Every run calls each tool once, so a second line is a repetition under any key. */
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
    usageContradicted: 0,
  };
}

function nothingSeen(): Seen {
  return { runs: 0, events: 0, completed: 0, cancelled: 0, recovered: 0, effects: 0, effectsAgain: 0, tokens: 0 };
}
