/** When a cron expression is due, in a time zone. Times are milliseconds since the epoch; ticks are whole seconds. */
import { Cron } from "croner";

/** A rhythm: an expression, and the zone of its hours. */
export interface Rhythm {
  /** Five fields, six with the seconds last, an alias like `@daily`; or `@once`, for what has no rhythm. */
  readonly cronExpr: string;
  /** A name of the IANA time zone database. */
  readonly timezone: string;
}

/** Stands for the expression of a schedule that is due once, at a time that it names. */
export const once = "@once";

const aliases: ReadonlySet<string> = new Set([
  "@yearly",
  "@annually",
  "@monthly",
  "@weekly",
  "@daily",
  "@midnight",
  "@hourly",
]);

/** Parsed expressions: to parse one costs more than to ask it. */
const parsed = new Map<string, Cron>();
const mostParsed = 1_000;

/** Whether a text is an expression that is due sometime. */
export function isCron(cronExpr: string): boolean {
  try {
    return patternOf(cronExpr).nextRun() !== null;
  } catch {
    return false;
  }
}

/** Whether a text has as many fields as an expression has. */
export function hasCronFields(text: string): boolean {
  return fieldsOf(text) !== undefined;
}

/**
 * An expression whose seconds are `*` and whose minutes are not, as it would be if its first field were meant as the seconds, which other
 * libraries have first; undefined for all others.
 */
export function secondsLast(cronExpr: string): string | undefined {
  const fields = fieldsOf(cronExpr) ?? [];
  const [first = "*", ...rest] = fields;
  return fields.length === 6 && first !== "*" && rest.at(-1) === "*" ? [...rest, first].join(" ") : undefined;
}

/** Whether a text names a time zone. Offsets are none: they know no summer. */
export function isTimezone(timezone: string): boolean {
  if (!/^[A-Za-z][\w+/-]*$/.test(timezone)) return false;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: timezone }).resolvedOptions().timeZone.length > 0;
  } catch {
    return false;
  }
}

/** The first tick after a time; null when there is none. */
export function nextTick({ cronExpr, timezone }: Rhythm, after: number): number | null {
  return patternOf(cronExpr, timezone).nextRun(new Date(after))?.getTime() ?? null;
}

/** The last ticks from `since` on and before a time, at most `count`, oldest first. */
export function ticksBefore(
  { cronExpr, timezone }: Rhythm,
  { since, before, count }: { readonly since: number; readonly before: number; readonly count: number },
): readonly number[] {
  const pattern = patternOf(cronExpr, timezone);
  const ticks: number[] = [];
  for (let at = Math.ceil(before / 1_000) * 1_000; ticks.length < count; ) {
    const tick = pattern.previousRuns(1, new Date(at))[0]?.getTime();
    if (tick === undefined || tick < since) break;
    ticks.push(tick);
    at = tick;
  }
  return ticks.reverse();
}

/**
 * What a clock change does: a time of day that the change leaves out is due at the change, and one that comes twice is due the first time. What is
 * due every so often (an expression with `*` or a step in its hours, minutes or seconds) goes by the hours that there are.
 */
function patternOf(cronExpr: string, timezone = "UTC"): Cron {
  const name = `${timezone} ${cronExpr}`;
  const known = parsed.get(name);
  if (known) return known;
  const options = { timezone, mode: "5-or-6-parts", fixedTimeRule: "no-wildcard", paused: true } as const;
  const made = new Cron(secondsFirst(cronExpr), options);
  if (parsed.size >= mostParsed) parsed.clear();
  parsed.set(name, made);
  return made;
}

/** The interface has the seconds last, as croniter does. @throws Error for what has not the form of an expression */
function secondsFirst(cronExpr: string): string {
  const fields = fieldsOf(cronExpr);
  if (!fields) throw new Error("not a cron expression");
  return fields.length < 6 ? fields.join(" ") : [fields[5], ...fields.slice(0, 5)].join(" ");
}

/** Five or six of them, or an alias; undefined for a text that has another number. */
function fieldsOf(cronExpr: string): readonly string[] | undefined {
  const fields = cronExpr.trim().split(/\s+/);
  const [first = ""] = fields;
  if (fields.length === 1 && aliases.has(first.toLowerCase())) return fields;
  return first.startsWith("@") || fields.length < 5 || fields.length > 6 ? undefined : fields;
}
