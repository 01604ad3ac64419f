/** Validates the retention of a platform. */
import { ConfigurationError } from "../../errors.ts";
import { agesOf, durationOf, type Retention, type RetentionRules } from "../../model/retention.ts";
import type { Settings } from "../../model/settings.ts";
import { type Known, refuseUnknown } from "../checks.ts";

const known: Known<Retention> = {
  events: true,
  runs: true,
  sessions: true,
  traces: true,
  scheduleRecords: true,
  idempotencyKeys: true,
  webhookDeliveries: true,
  memories: true,
  learnings: true,
  maxEventBytes: true,
};

/**
 * Returns the ages at which data is removed, and the bound of the stored events.
 * @throws ConfigurationError naming the kind of data and the fix
 */
export function checkRetention(
  title: string,
  retention: unknown,
  { idempotencyDuration }: Pick<Settings, "idempotencyDuration">,
): RetentionRules {
  if (retention === undefined) return { ages: agesOf({}), maxEventBytes: undefined };
  if (typeof retention !== "object" || retention === null || Array.isArray(retention))
    throw new ConfigurationError(`${title}: retention must be an object like { events: "30d" }.`);
  refuseUnknown(`${title}: retention`, retention, known);
  const { maxEventBytes, ...durations } = retention as Retention;
  if (maxEventBytes !== undefined && !(Number.isSafeInteger(maxEventBytes) && maxEventBytes > 0))
    throw new ConfigurationError(
      `${title}: retention.maxEventBytes must be a number of bytes like 50_000_000_000, not ${JSON.stringify(maxEventBytes)}.`,
    );
  for (const [kind, value] of Object.entries(durations)) {
    if (value === undefined || value === false || durationOf(value) !== undefined) continue;
    throw new ConfigurationError(
      `${title}: retention.${kind} must be a duration like "90m", "12h" or "30d", or false to keep the data, not ${JSON.stringify(value)}.`,
    );
  }
  const ages = agesOf(durations);
  const { events = 0, runs, idempotencyKeys } = ages;
  if (runs !== undefined && runs < events && durations.events !== undefined)
    throw new ConfigurationError(
      `${title}: retention.events is longer than retention.runs, but a removed run has no events.`,
    );
  if (idempotencyKeys !== undefined && idempotencyKeys < idempotencyDuration)
    throw new ConfigurationError(
      `${title}: retention.idempotencyKeys is shorter than the setting idempotencyDuration (${idempotencyDuration} ms): a repeated start would start another run.`,
    );
  return { ages, maxEventBytes };
}
