import { writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { ConfigurationError } from "../../errors.ts";
import { type Api, localApi, serverApi } from "../eval/api.ts";
import { casesOfDataset, type EvalCase, readCases } from "../eval/cases.ts";
import { type CaseResult, toJunit } from "../eval/junit.ts";
import { printable } from "../printable.ts";

/** Options of `troupe eval run`. */
export interface EvalRunOptions {
  readonly url?: string;
  readonly app?: string;
  readonly dataset?: string;
  readonly agent?: string;
  readonly team?: string;
  readonly scorers?: string;
  readonly threshold: string;
  readonly parallel: string;
  readonly timeout: string;
  readonly junit?: string;
}

/** Milliseconds between two reads of an eval. */
const pollInterval = { min: 100, max: 2_000 } as const;

/**
 * `troupe eval run FILE`: executes the cases of a file, or of a dataset, and prints their results. The exit code is 0 if the part of cases that
 * pass is at least the threshold, otherwise 1.
 */
export async function evalRun(action: string, file: string | undefined, options: EvalRunOptions): Promise<void> {
  if (action !== "run") throw new ConfigurationError(`There is no command "eval ${action}": write "troupe eval run".`);
  const threshold = shareOf(options.threshold);
  const parallel = numberOf("--parallel", options.parallel, 100);
  const timeout = numberOf("--timeout", options.timeout, 86_400) * 1_000;
  const { dataset, url } = options;
  if ((file === undefined) === (dataset === undefined))
    throw new ConfigurationError("Name a file of cases, or a dataset with --dataset.");
  if (dataset !== undefined && (url === undefined || (options.agent === undefined) === (options.team === undefined)))
    throw new ConfigurationError("--dataset needs --url, and --agent or --team.");
  if (url !== undefined && options.app !== undefined)
    throw new ConfigurationError(
      "--app executes a platform in this process, and --url names a server: omit one of them.",
    );
  const fromFile = file === undefined ? undefined : readCases(file);
  await using api = url === undefined ? await localApi(options.app) : serverApi(url, process.env.TROUPE_TOKEN);
  const { agent, team, scorers } = options;
  const cases = fromFile ?? (await casesOfDataset(api, { dataset: dataset ?? "", agent, team, scorers }));
  const results = await executeAll(api, cases, { parallel, timeout });
  const passed = results.filter(({ outcome }) => outcome === "passed").length;
  const share = passed / results.length;
  console.log(`${passed} of ${results.length} cases passed (${percent(share)}); threshold ${percent(threshold)}.`);
  if (options.junit !== undefined) await writeFile(options.junit, toJunit(file ?? `dataset ${dataset}`, results));
  if (share < threshold) process.exitCode = 1;
}

function percent(share: number): string {
  return `${Math.round(share * 1_000) / 10} %`;
}

/** @throws ConfigurationError for a text that is not a share */
function shareOf(text: string): number {
  const share = /^\d{1,3}(\.\d+)?%$/.test(text) ? Number(text.slice(0, -1)) / 100 : Number(text);
  if (text.trim() !== "" && share >= 0 && share <= 1) return share;
  throw new ConfigurationError(`--threshold ${text} is not a part of the cases, like 0.9 or 90%.`);
}

function numberOf(option: string, text: string, max: number): number {
  const number = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (number >= 1 && number <= max) return number;
  throw new ConfigurationError(`${option} ${text} is not a number from 1 to ${max}.`);
}

async function executeAll(
  api: Api,
  cases: readonly EvalCase[],
  { parallel, timeout }: { readonly parallel: number; readonly timeout: number },
): Promise<readonly CaseResult[]> {
  const results: CaseResult[] = [];
  let done = 0;
  const left = cases.entries();
  const work = async (): Promise<void> => {
    for (const [place, one] of left) {
      const begun = performance.now();
      const result = await execute(api, one, timeout);
      const seconds = (performance.now() - begun) / 1_000;
      results[place] = { name: one.name, type: String(one.body.eval_type), seconds, ...result };
      done += 1;
      const title = { passed: "pass", failed: "FAIL", error: "ERROR" }[result.outcome];
      const shown = printable(`${one.name}: ${result.text}`);
      console.log(`[${done}/${cases.length}] ${title} ${shown} (${seconds.toFixed(1)} s)`);
    }
  };
  await Promise.all(Array.from({ length: Math.min(parallel, cases.length) }, work));
  return results;
}

type Result = Pick<CaseResult, "outcome" | "text" | "evalId">;

/** The members of an eval that the command reads. */
interface EvalRecord {
  readonly id: string;
  readonly eval_type: string;
  readonly eval_data: Readonly<Record<string, unknown>>;
  readonly status: string;
  readonly passed: boolean | null;
  readonly error?: string;
}

async function execute(api: Api, { body, maxRunTime }: EvalCase, timeout: number): Promise<Result> {
  const begun = performance.now();
  const create = () => api.request("POST", "/eval-runs", { ...body, background: true });
  let created = await create();
  // The user has too many evals that have not ended.
  for (; created.status === 429 && performance.now() - begun < timeout; created = await create())
    await sleep(pollInterval.max);
  if (created.status !== 202 && created.status !== 200)
    return { outcome: "error", text: created.fault, evalId: undefined };
  const { id } = created.body as EvalRecord;
  const deadline = performance.now() + timeout;
  for (let pause: number = pollInterval.min; ; pause = Math.min(pause * 1.5, pollInterval.max)) {
    await sleep(pause);
    const read = await api.request("GET", `/eval-runs/${id}`);
    if (read.status !== 200) return { outcome: "error", text: read.fault, evalId: id };
    const record = read.body as EvalRecord;
    if (record.status !== "PENDING" && record.status !== "RUNNING")
      return { ...resultOf(record, maxRunTime), evalId: id };
    if (performance.now() > deadline)
      return { outcome: "error", text: `The eval did not end within ${timeout / 1_000} s.`, evalId: id };
  }
}

interface Shown {
  readonly avg_score?: number | null;
  readonly pass_rate?: number;
  readonly eval_status?: string;
  readonly avg_run_time?: number;
  readonly results?: readonly {
    readonly score?: number | null;
    readonly reason?: string | null;
    readonly output?: string;
  }[];
  readonly errors?: readonly { readonly error: string }[];
  readonly failed_tool_calls?: readonly string[];
  readonly failed_argument_checks?: readonly string[];
}

function resultOf(record: EvalRecord, maxRunTime: number | undefined): Omit<Result, "evalId"> {
  if (record.status !== "COMPLETED") return { outcome: "error", text: record.error ?? "The eval failed." };
  const data = record.eval_data as Shown;
  const [fault] = data.errors ?? [];
  if (fault) return { outcome: "error", text: fault.error };
  const isSlow = maxRunTime !== undefined && (data.avg_run_time ?? 0) > maxRunTime;
  const isPassed = record.passed !== false && !isSlow;
  return { outcome: isPassed ? "passed" : "failed", text: textOf(record.eval_type, data, maxRunTime) };
}

function textOf(type: string, data: Shown, maxRunTime: number | undefined): string {
  if (type === "performance") {
    const bound = maxRunTime === undefined ? "" : `, at most ${maxRunTime} s`;
    return `mean ${(data.avg_run_time ?? 0).toFixed(3)} s${bound}`;
  }
  if (type === "reliability") {
    const failed = [...(data.failed_tool_calls ?? []), ...(data.failed_argument_checks ?? [])];
    return failed.length === 0 ? "all calls as expected" : `unexpected or missing: ${failed.join(", ")}`;
  }
  const reason = data.results?.find((one) => one.reason)?.reason;
  const output = data.results?.[0]?.output;
  const why = reason ?? (output === undefined ? "" : `the output is ${JSON.stringify(output.slice(0, 200))}`);
  const { avg_score: score } = data;
  const scored = score == null ? `pass rate ${data.pass_rate ?? 0} %` : `score ${Math.round(score * 100) / 100} of 10`;
  return why === "" ? scored : `${scored}: ${why}`;
}
