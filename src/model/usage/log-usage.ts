/** Usage of a root run by model, from its log. The log also contains the events of members and steps. */

import type { RunOutput } from "../run/record.ts";
import { toNanos } from "./cost.ts";

/** Usage of one model. */
export interface LoggedUsage {
  readonly model: string;
  readonly provider: string;
  /** Answered model requests. */
  readonly requests: number;
  readonly input: number;
  readonly output: number;
  readonly reasoning: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** Cost in nanodollars; null if no request has a known price. */
  readonly nanos: number | null;
}

interface Request extends LoggedUsage {
  readonly index: number;
}

/** Max characters of a name: other servers choose the names of the models that they use. */
const maxName = 200;

const answered = "ModelRequestCompleted\ndata: ";
const recovered = "Recovered\ndata: ";

/** Reads the usage from a log, frame by frame. */
export class LogUsage {
  readonly #requests: Request[] = [];
  /** Ranges of events that a later attempt of the run discarded. */
  readonly #discarded: { readonly from: number; readonly to: number }[] = [];

  /** Takes whole frames. */
  take(frames: Buffer): void {
    for (const event of eventsOf(frames, answered)) this.#requests.push(toRequest(event));
    for (const { discard_from_index: from, event_index: to } of eventsOf(frames, recovered))
      if (isCount(from) && isCount(to)) this.#discarded.push({ from, to });
  }

  /** The usage of the frames so far. */
  get models(): readonly LoggedUsage[] {
    const isKept = ({ index }: Request) => !this.#discarded.some(({ from, to }) => from <= index && index < to);
    return sumByModel(this.#requests.filter(isKept));
  }
}

/** The usage in the output of a run whose log reports none: another server executed it and did not send these events. */
export function usageOfOutput(output: string | null): readonly LoggedUsage[] {
  const { metrics } = output === null ? {} : (JSON.parse(output) as Partial<RunOutput>);
  return sumByModel(
    Object.values(metrics?.details ?? {})
      .flat()
      .map(({ id, provider, ...tokens }) => toRequest({ ...tokens, model: id, model_provider: provider })),
  );
}

/** Adds up usage by model, ordered by the models' names. */
export function sumByModel(usages: readonly LoggedUsage[]): readonly LoggedUsage[] {
  const sums = new Map<string, LoggedUsage>();
  for (const usage of usages) {
    const name = JSON.stringify([usage.model, usage.provider]);
    const sum = sums.get(name);
    sums.set(name, {
      model: usage.model,
      provider: usage.provider,
      requests: usage.requests + (sum?.requests ?? 0),
      input: usage.input + (sum?.input ?? 0),
      output: usage.output + (sum?.output ?? 0),
      reasoning: usage.reasoning + (sum?.reasoning ?? 0),
      cacheRead: usage.cacheRead + (sum?.cacheRead ?? 0),
      cacheWrite: usage.cacheWrite + (sum?.cacheWrite ?? 0),
      nanos: addNanos(usage.nanos, sum?.nanos ?? null),
    });
  }
  return [...sums].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, sum]) => sum);
}

/** Adds nanodollars; null if both are unknown. */
export function addNanos(one: number | null, other: number | null): number | null {
  return one === null ? other : one + (other ?? 0);
}

/** The data of events whose frames contain a marker. A marker spans two lines, and JSON text has no raw line feed, so it is never within data. */
function* eventsOf(frames: Buffer, marker: string): Generator<Readonly<Record<string, unknown>>, void> {
  for (let at = frames.indexOf(marker); at !== -1; at = frames.indexOf(marker, at + marker.length)) {
    const from = at + marker.length;
    yield JSON.parse(frames.toString("utf8", from, frames.indexOf("\n", from))) as Record<string, unknown>;
  }
}

function toRequest(event: Readonly<Record<string, unknown>>): Request {
  const { cost } = event;
  return {
    index: count(event.event_index),
    model: name(event.model),
    provider: name(event.model_provider),
    requests: event.cached === true ? 0 : 1,
    input: count(event.input_tokens),
    output: count(event.output_tokens),
    reasoning: count(event.reasoning_tokens),
    cacheRead: count(event.cache_read_tokens),
    cacheWrite: count(event.cache_write_tokens),
    nanos: typeof cost === "number" && isCount(toNanos(cost)) ? toNanos(cost) : null,
  };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function count(value: unknown): number {
  return isCount(value) ? value : 0;
}

/** Postgres cannot store NUL or a lone surrogate in text. */
function name(value: unknown): string {
  return typeof value === "string" ? value.slice(0, maxName).toWellFormed().replaceAll("\0", "\ufffd") : "";
}
