/** Ticks of cron expressions in a time zone. Times are milliseconds since the epoch; ticks are whole seconds. */
import { Cron } from "croner";

/** A cron expression with its time zone. */
export interface Rhythm {
  /** Five fields, six with the seconds last, an alias like `@daily`; or `@once` for a single tick. */
  readonly cronExpr: string;
  /** A name in the IANA time zone database. */
  readonly timezone: string;
}

/** The expression of a schedule with a single tick, at its `runAt`. */
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

/** Cache of parsed expressions: parsing costs more than evaluating. */
const parsed = new Map<string, Cron>();
const maxParsed = 1_000;

/** Whether a text is a valid expression that has a next tick. */
export function isCron(cronExpr: string): boolean {
  try {
    return patternOf(cronExpr).nextRun() !== null;
  } catch {
    return false;
  }
}

/** Whether a text has as many fields as a cron expression. */
export function hasCronFields(text: string): boolean {
  return fieldsOf(text) !== undefined;
}

/**
 * Detects an expression with the seconds in the first field, where other libraries have them: its last field is `*` and its first is not.
 * Returns the expression with the seconds last; undefined for all others.
 */
export function secondsLast(cronExpr: string): string | undefined {
  const fields = fieldsOf(cronExpr) ?? [];
  const [first = "*", ...rest] = fields;
  return fields.length === 6 && first !== "*" && rest.at(-1) === "*" ? [...rest, first].join(" ") : undefined;
}

/** Whether a text is a time zone name. Offsets are not accepted: they have no daylight saving time. */
export function isTimezone(timezone: string): boolean {
  if (!/^[A-Za-z][\w+/-]*$/.test(timezone)) return false;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: timezone }).resolvedOptions().timeZone.length > 0;
  } catch {
    return false;
  }
}

/** Returns the first tick after a time; null if there is none. */
export function nextTick({ cronExpr, timezone }: Rhythm, after: number): number | null {
  return patternOf(cronExpr, timezone).nextRun(new Date(after))?.getTime() ?? null;
}

/** Returns the last ticks before a time and not before `since`, at most `count`, oldest first. */
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
 * Parses an expression. At a clock change, a time of day that is skipped is due at the change, and one that occurs twice is due the first
 * time. An expression with `*` or a step in its hours, minutes or seconds follows the hours that elapse.
 */
function patternOf(cronExpr: string, timezone = "UTC"): Cron {
  const name = `${timezone} ${cronExpr}`;
  const known = parsed.get(name);
  if (known) return known;
  const options = { timezone, mode: "5-or-6-parts", fixedTimeRule: "no-wildcard", paused: true } as const;
  const made = new Cron(secondsFirst(cronExpr), options);
  if (parsed.size >= maxParsed) parsed.clear();
  parsed.set(name, made);
  return made;
}

/** Moves the seconds to the first field; the interface has them last, as croniter does. @throws Error for an invalid form */
function secondsFirst(cronExpr: string): string {
  const fields = fieldsOf(cronExpr);
  if (!fields) throw new Error("not a cron expression");
  return fields.length < 6 ? fields.join(" ") : [fields[5], ...fields.slice(0, 5)].join(" ");
}

/** Returns the five or six fields or the alias; undefined for any other text. */
function fieldsOf(cronExpr: string): readonly string[] | undefined {
  const fields = cronExpr.trim().split(/\s+/);
  const [first = ""] = fields;
  if (fields.length === 1 && aliases.has(first.toLowerCase())) return fields;
  return first.startsWith("@") || fields.length < 5 || fields.length > 6 ? undefined : fields;
}
