/** Schedules that are defined in code. */
import { ConfigurationError } from "../../errors.ts";
import { hasCronFields, isCron, isTimezone, once } from "../../model/schedule/cron.ts";
import { catchUps, defaultPlan, overlaps, type SchedulePlan, scheduleMethods } from "../../model/schedule/schedule.ts";
import { type Known, refuseUnknown } from "../checks.ts";

/** A schedule of a platform: `name`, `cronExpr`, `endpoint`, and the fields that differ from their defaults (docs/schedules.md). */
export type ScheduleDefinition = Pick<SchedulePlan, "name" | "cronExpr" | "endpoint"> & Partial<SchedulePlan>;

const members: Known<ScheduleDefinition> = {
  name: true,
  cronExpr: true,
  endpoint: true,
  timezone: true,
  description: true,
  method: true,
  payload: true,
  timeoutSeconds: true,
  maxRetries: true,
  retryDelaySeconds: true,
  runAt: true,
  endsAt: true,
  maxFires: true,
  overlap: true,
  catchUp: true,
  jitterSeconds: true,
  pauseAfter: true,
};

/** Bounds of the fields that hold whole numbers. */
const numbers: Readonly<Partial<Record<keyof SchedulePlan, readonly [least: number, most: number]>>> = {
  timeoutSeconds: [1, 86_400],
  maxRetries: [0, 10],
  retryDelaySeconds: [1, 3_600],
  jitterSeconds: [0, 3_600],
  maxFires: [1, 2_147_483_647],
  pauseAfter: [1, 1_000],
  runAt: [0, 253_402_300_799_000],
  endsAt: [0, 253_402_300_799_000],
};

/** Checks schedule definitions and adds the defaults. @throws ConfigurationError for an invalid definition */
export function checkSchedules(platform: string, definitions: unknown): readonly SchedulePlan[] {
  if (!Array.isArray(definitions)) throw new ConfigurationError(`${platform}: schedules must be a list, or false.`);
  const names = new Set<unknown>();
  return definitions.map((definition: ScheduleDefinition) => {
    const title = `${platform}: schedule "${definition?.name}"`;
    const fault =
      faultOf(title, definition) ?? (names.has(definition.name) ? "has the name of another one" : undefined);
    if (fault) throw new ConfigurationError(`${title} ${fault}.`);
    names.add(definition.name);
    return Object.freeze({ ...defaultPlan, ...withoutMissing(definition) });
  });
}

/** The fields that have a value. Requests send null for the default of a field, so a definition may do the same. */
function withoutMissing(definition: ScheduleDefinition): ScheduleDefinition {
  const fields = Object.entries(definition).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(fields) as unknown as ScheduleDefinition;
}

function faultOf(title: string, definition: ScheduleDefinition): string | undefined {
  if (typeof definition !== "object" || definition === null) return "must be an object";
  refuseUnknown(title, definition, members);
  const { name, cronExpr, endpoint, timezone, description, method, overlap, catchUp, payload, runAt } = {
    ...defaultPlan,
    ...withoutMissing(definition),
  };
  if (typeof name !== "string" || !/^[a-zA-Z0-9][a-zA-Z0-9 ._-]{0,254}$/.test(name)) {
    return "needs a name of letters, digits, spaces, dots, dashes and underscores";
  }
  if (typeof endpoint !== "string" || !/^\/(?!\/)/.test(endpoint)) return "needs an endpoint: a path of this platform";
  if (typeof timezone !== "string" || !isTimezone(timezone)) return `has an unknown timezone "${timezone}"`;
  if (typeof cronExpr !== "string" || (cronExpr !== once && !hasCronFields(cronExpr))) {
    return `has the cronExpr "${cronExpr}", but one has five fields, or six with the seconds last, or is an alias like @daily`;
  }
  if (cronExpr !== once && !isCron(cronExpr)) return `has the cronExpr "${cronExpr}", which is none, or never due`;
  if ((cronExpr === once) !== (typeof runAt === "number")) return `needs runAt for the cronExpr ${once} only`;
  if (description !== null && typeof description !== "string") return "needs a text as its description";
  if (typeof payload !== "object" || Array.isArray(payload)) return "needs an object as its payload";
  if (!scheduleMethods.includes(method)) return `has an unknown method: there are ${scheduleMethods.join(", ")}`;
  if (!overlaps.includes(overlap)) return `has an unknown overlap: there are ${overlaps.join(", ")}`;
  if (!catchUps.includes(catchUp)) return `has an unknown catchUp: there are ${catchUps.join(", ")}`;
  for (const [field, bounds] of Object.entries(numbers)) {
    const value = definition[field as keyof SchedulePlan] ?? bounds[0];
    const isGood = Number.isInteger(value) && Number(value) >= bounds[0] && Number(value) <= bounds[1];
    if (!isGood) return `needs a whole number from ${bounds[0]} to ${bounds[1]} as ${field}`;
  }
  return undefined;
}
