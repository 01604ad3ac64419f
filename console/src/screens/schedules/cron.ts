/**
 * Ticks of cron expressions, as the server computes them: the same library with the same options. The names repeat `src/model/schedule/cron.ts`,
 * because the console imports nothing of the server. The server checks every expression again.
 */
import { Cron } from "croner";

const aliases: ReadonlySet<string> = new Set([
  "@yearly",
  "@annually",
  "@monthly",
  "@weekly",
  "@daily",
  "@midnight",
  "@hourly",
]);

/** The expression of a schedule that fires once. */
export const once = "@once";

/** The next ticks of an expression, or why it has none. */
export type Preview = { readonly ticks: readonly Date[] } | { readonly fault: string };

/**
 * Returns the next ticks after a time.
 * @param cronExpr - five fields, six with the seconds last, or an alias
 */
export function nextTicks(cronExpr: string, timezone: string, after: Date, count: number): Preview {
  const fields = cronExpr.trim().split(/\s+/);
  const [first = ""] = fields;
  const isAlias = fields.length === 1 && aliases.has(first.toLowerCase());
  if (!isAlias && (first.startsWith("@") || fields.length < 5 || fields.length > 6))
    return { fault: "Enter five fields, six with the seconds last, or an alias such as @daily." };
  const pattern = fields.length === 6 ? [fields[5], ...fields.slice(0, 5)].join(" ") : fields.join(" ");
  try {
    const options = { timezone, mode: "5-or-6-parts", fixedTimeRule: "no-wildcard", paused: true } as const;
    const ticks = new Cron(pattern, options).nextRuns(count, after);
    return ticks.length > 0 ? { ticks } : { fault: "This expression has no tick." };
  } catch (error) {
    return { fault: error instanceof Error ? error.message.replace(/^CronPattern: /, "") : String(error) };
  }
}

/** The offset of a time zone from UTC at a time: `GMT+2`. It differs between two ticks if the clocks change between them. */
export function offsetAt(time: Date, timezone: string): string {
  const parts = new Intl.DateTimeFormat("en", { timeZone: timezone, timeZoneName: "shortOffset" }).formatToParts(time);
  return parts.find(({ type }) => type === "timeZoneName")?.value ?? "";
}

/** The caller's own time zone. */
export const localZone: string = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** All time zones of the browser, with UTC and the caller's own first. */
export function timeZones(): readonly string[] {
  return [...new Set(["UTC", localZone, ...Intl.supportedValuesOf("timeZone")])];
}
