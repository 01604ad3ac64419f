/** Cases of `troupe eval run`: requests for evals, from a file or from the rows of a dataset. */
import { readFileSync } from "node:fs";
import { ConfigurationError } from "../../errors.ts";
import type { Api } from "./api.ts";

/** A case: the body of `POST /eval-runs`, and a bound of our own. */
export interface EvalCase {
  readonly name: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** For performance: max mean time of a run, in seconds. */
  readonly maxRunTime: number | undefined;
}

type JsonObject = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Reads cases from a file: a list, `{ "defaults": {…}, "cases": […] }`, or a JSON object on each line.
 * @throws ConfigurationError naming the file, the case and the fix
 */
export function readCases(path: string): readonly EvalCase[] {
  const text = read(path);
  const { defaults, cases } = /\.(jsonl|ndjson)$/i.test(path) ? readLines(path, text) : readDocument(path, text);
  if (cases.length === 0) throw new ConfigurationError(`${path} has no cases.`);
  return cases.map((given, place) => toCase(`${path}, case ${place + 1}`, { ...defaults, ...given }, place));
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new ConfigurationError(`${path} cannot be read: ${(error as Error).message}.`, { cause: error });
  }
}

interface Given {
  readonly defaults: JsonObject;
  readonly cases: readonly JsonObject[];
}

function readDocument(path: string, text: string): Given {
  const value = parsed(path, text);
  const { defaults = {}, cases } = isObject(value) ? value : { cases: value };
  if (isObject(defaults) && Array.isArray(cases) && cases.every(isObject)) return { defaults, cases };
  throw new ConfigurationError(`${path} must be a list of cases, or { "defaults": { … }, "cases": [ … ] }.`);
}

function readLines(path: string, text: string): Given {
  const lines = text.split("\n").map((line, place) => ({ line: line.trim(), place }));
  const cases = lines
    .filter(({ line }) => line !== "")
    .map(({ line, place }) => {
      const value = parsed(`${path}, line ${place + 1},`, line);
      if (isObject(value)) return value;
      throw new ConfigurationError(`${path}, line ${place + 1}, is not a JSON object.`);
    });
  return { defaults: {}, cases };
}

function parsed(title: string, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new ConfigurationError(`${title} is not JSON: ${(error as Error).message}.`, { cause: error });
  }
}

function toCase(title: string, { max_run_time: maxRunTime, ...body }: JsonObject, place: number): EvalCase {
  const { name = `case ${place + 1}`, eval_type: type = "accuracy", input } = body;
  if (typeof name !== "string") throw new ConfigurationError(`${title}: name must be a text.`);
  if (typeof input !== "string") throw new ConfigurationError(`${title}: input must be a text.`);
  if (maxRunTime !== undefined && !(typeof maxRunTime === "number" && maxRunTime > 0))
    throw new ConfigurationError(`${title}: max_run_time must be a number of seconds above 0.`);
  return { name, body: { ...body, name, eval_type: type }, maxRunTime };
}

/** The component and the scorers of cases that come from a dataset. */
export interface DatasetOptions {
  readonly dataset: string;
  readonly agent: string | undefined;
  readonly team: string | undefined;
  /** Names of scorers, separated by commas; undefined for a judge. */
  readonly scorers: string | undefined;
}

/** Reads the rows of a dataset, page by page. @throws ConfigurationError */
export async function casesOfDataset(
  api: Api,
  { dataset, agent, team, scorers }: DatasetOptions,
): Promise<readonly EvalCase[]> {
  const cases: EvalCase[] = [];
  for (let path: string | undefined = `/datasets/${encodeURIComponent(dataset)}`; path; ) {
    const page = await api.request("GET", path);
    if (page.status !== 200) throw new ConfigurationError(`The dataset ${dataset} cannot be read: ${page.fault}.`);
    const { rows = [] } = page.body as {
      readonly rows?: readonly { readonly input: string; readonly expected: string | null }[];
    };
    for (const { input, expected } of rows) {
      const name = `row ${cases.length + 1}`;
      const component = team === undefined ? { agent_id: agent } : { team_id: team };
      const body = {
        ...{ ...component, name, eval_type: "accuracy", input, expected_output: expected },
        ...(scorers === undefined ? {} : { scorers: scorers.split(",").map((one) => one.trim()) }),
      };
      cases.push({ name, body, maxRunTime: undefined });
    }
    path = page.next;
  }
  if (cases.length === 0) throw new ConfigurationError(`The dataset ${dataset} has no rows.`);
  return cases;
}
