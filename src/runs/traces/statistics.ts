/** Statistics of traces: durations, errors, tokens and costs by component, user, model and day. */
import { nextTurn } from "../../model/next-turn.ts";
import type { Principal } from "../../model/principal.ts";
import type { ComponentKind } from "../../model/run/run.ts";
import type { Span } from "../../model/trace/span.ts";
import { fromStoredSpans } from "../../model/trace/stored.ts";
import { addCosts } from "../../model/usage/cost.ts";
import type { TraceQuery, TraceRow } from "../../store/contract/traces.ts";
import type { ReadParts } from "../reading.ts";

/** Max traces of one answer, and the bytes of their spans: the newest traces count. */
export const maxTraces = 2_000;
const maxBytes = 32 * 1024 * 1024;

/** Traces whose spans are read together. */
const batchSize = 100;

/** Max groups of one kind, those with most runs. */
const maxGroups = 100;

/** Durations in milliseconds. `p50` and `p95`: the durations that half and 95 percent of them do not exceed. */
export interface Durations {
  readonly mean: number;
  readonly p50: number;
  readonly p95: number;
  readonly max: number;
}

/** The statistics of a group of runs, or of model turns. */
export interface Statistics {
  readonly count: number;
  readonly errors: number;
  readonly durations: Durations;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** US dollars; null if no model turn has a known price. */
  readonly cost: number | null;
}

export interface TraceStatistics {
  /** Traces that the groups cover: the newest ones that fit the filter. */
  readonly traces: number;
  /** Whether the groups cover all traces that fit the filter. */
  readonly isComplete: boolean;
  /** Start of the first and of the last covered trace in milliseconds since the epoch; null without traces. */
  readonly firstAt: number | null;
  readonly lastAt: number | null;
  readonly components: readonly (Statistics & { readonly kind: ComponentKind; readonly id: string })[];
  /** The id is null for runs without a user. */
  readonly users: readonly (Statistics & { readonly id: string | null })[];
  /** Statistics of model turns, with their retries. */
  readonly models: readonly (Statistics & { readonly model: string; readonly provider: string | null })[];
  /** UTC days of the start, in order: `2026-11-22`. */
  readonly days: readonly (Statistics & { readonly day: string })[];
}

/** Reads the statistics of the newest traces that fit a filter and that the caller may see. */
export async function readTraceStatistics(
  { traces, runtime }: Pick<ReadParts, "traces" | "runtime">,
  caller: Principal,
  filter: TraceQuery["filter"],
): Promise<TraceStatistics> {
  // No bytes for inputs: statistics show none.
  const { rows, total } = await traces.list(caller, { filter, limit: maxTraces, offset: 0, maxBytes: 0 });
  const groups = new Groups();
  let bytes = 0;
  let covered = 0;
  while (covered < rows.length && bytes < maxBytes) {
    const batch = rows.slice(covered, covered + batchSize);
    const texts = await traces.spans(
      batch.map(({ key }) => key),
      maxBytes,
    );
    for (const row of batch) {
      const text = texts.get(row.key);
      bytes += text?.length ?? 0;
      groups.add(row, text === undefined ? [] : fromStoredSpans(text, row));
    }
    covered += batch.length;
    await nextTurn(runtime.clock);
  }
  return {
    traces: covered,
    isComplete: covered >= Math.max(total, rows.length),
    firstAt: rows[covered - 1]?.startedAt ?? null,
    lastAt: rows[0]?.startedAt ?? null,
    ...groups.result(),
  };
}

interface Sum<Name> {
  readonly name: Name;
  readonly durations: number[];
  errors: number;
  inputTokens: number;
  outputTokens: number;
  cost: number | undefined;
}

type Component = Pick<TraceStatistics["components"][number], "kind" | "id">;
type Model = Pick<TraceStatistics["models"][number], "model" | "provider">;

class Groups {
  readonly #components = new Map<string, Sum<Component>>();
  readonly #users = new Map<string, Sum<{ id: string | null }>>();
  readonly #models = new Map<string, Sum<Model>>();
  readonly #days = new Map<string, Sum<{ day: string }>>();

  add(row: TraceRow, spans: readonly Span[]): void {
    const turns = spans.filter(({ kind, endedAt }) => kind === "model" && endedAt !== null);
    const { kind, componentId: id, userId, startedAt, endedAt, inputTokens, outputTokens } = row;
    const day = new Date(startedAt).toISOString().slice(0, 10);
    const facts = {
      duration: endedAt - startedAt,
      failed: row.status === "ERROR",
      ...{ inputTokens, outputTokens },
      cost: turns.map(costOf).reduce(addCosts, undefined),
    };
    count(this.#components, `${kind}/${id}`, { kind, id }, facts);
    count(this.#users, JSON.stringify(userId), { id: userId }, facts);
    count(this.#days, day, { day }, facts);
    for (const turn of turns) this.#addTurn(turn);
  }

  result(): Pick<TraceStatistics, "components" | "users" | "models" | "days"> {
    const days = [...this.#days.values()].map(toStatistics).sort((one, other) => (one.day < other.day ? -1 : 1));
    return {
      components: largest(this.#components),
      users: largest(this.#users),
      models: largest(this.#models),
      days: days.slice(-maxGroups),
    };
  }

  #addTurn(turn: Span): void {
    const { attributes, startedAt, endedAt, status } = turn;
    const model = String(attributes["gen_ai.request.model"] ?? "");
    const known = attributes["gen_ai.provider.name"];
    const provider = known === undefined ? null : String(known);
    count(
      this.#models,
      JSON.stringify([model, provider]),
      { model, provider },
      {
        duration: (endedAt ?? startedAt) - startedAt,
        failed: status === "ERROR",
        inputTokens: numberOf(attributes["gen_ai.usage.input_tokens"]),
        outputTokens: numberOf(attributes["gen_ai.usage.output_tokens"]),
        cost: costOf(turn),
      },
    );
  }
}

interface Facts {
  readonly duration: number;
  readonly failed: boolean;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cost: number | undefined;
}

function count<Name>(sums: Map<string, Sum<Name>>, key: string, name: Name, facts: Facts): void {
  const sum = sums.get(key) ?? { name, durations: [], errors: 0, inputTokens: 0, outputTokens: 0, cost: undefined };
  sums.set(key, sum);
  sum.durations.push(Math.max(0, facts.duration));
  sum.errors += facts.failed ? 1 : 0;
  sum.inputTokens += facts.inputTokens;
  sum.outputTokens += facts.outputTokens;
  sum.cost = addCosts(sum.cost, facts.cost);
}

function largest<Name extends object>(sums: ReadonlyMap<string, Sum<Name>>): readonly (Name & Statistics)[] {
  return [...sums.values()]
    .map(toStatistics)
    .sort((one, other) => other.count - one.count)
    .slice(0, maxGroups);
}

function toStatistics<Name extends object>({ name, durations, ...sum }: Sum<Name>): Name & Statistics {
  durations.sort((one, other) => one - other);
  const at = (part: number): number => durations[Math.max(0, Math.ceil(durations.length * part) - 1)] ?? 0;
  const mean = durations.reduce((total, one) => total + one, 0) / durations.length;
  return {
    ...name,
    count: durations.length,
    durations: { mean: Math.round(mean), p50: at(0.5), p95: at(0.95), max: at(1) },
    ...sum,
    cost: sum.cost ?? null,
  };
}

function costOf({ attributes }: Span): number | undefined {
  const cost = attributes["troupe.usage.cost"];
  return typeof cost === "number" ? cost : undefined;
}

function numberOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}
