/** For how long each kind of stored data is kept. */

/** Data with a retention, in the order of its removal: a session can be removed after its runs. Evals and experiments have the retention of runs. */
export const retainedKinds = [
  "events",
  "traces",
  "runs",
  "sessions",
  "scheduleRecords",
  "idempotencyKeys",
  "webhookDeliveries",
  "memories",
  "learnings",
  "evals",
  "experiments",
] as const;

/** A kind of data with a retention. */
export type RetainedKind = (typeof retainedKinds)[number];

/** A duration of minutes, hours or days: `90m`, `12h`, `30d`. */
export type RetentionDuration = `${number}${"m" | "h" | "d"}`;

/** For how long stored data is kept. `false` keeps it. */
export interface Retention {
  /** Events of a run, after the end of the run. The run's record, messages and content stay. Default `30d`. */
  readonly events?: RetentionDuration | false;
  /** Ended runs, with everything that belongs to them, after their end. Ended evals and experiments, after theirs. Default `false`. */
  readonly runs?: RetentionDuration | false;
  /** Sessions without runs, after their last change. Default `false`. */
  readonly sessions?: RetentionDuration | false;
  /** Traces, after the start of their run. Default `false`. */
  readonly traces?: RetentionDuration | false;
  /** Records of ended schedule fires, after their end. Default `false`. */
  readonly scheduleRecords?: RetentionDuration | false;
  /** Idempotency keys, after their first use. At least the setting `idempotencyDuration`. Default `false`. */
  readonly idempotencyKeys?: RetentionDuration | false;
  /** Deliveries of webhooks that are not pending, after their creation. Default `30d`. */
  readonly webhookDeliveries?: RetentionDuration | false;
  /** Memories about users, after their last change. Default `false`. */
  readonly memories?: RetentionDuration | false;
  /** Learnings, after their last change. Default `false`. */
  readonly learnings?: RetentionDuration | false;
  /**
   * Max bytes of the events of ended runs, as they are stored: compressed, and without the indexes and free space of the database. At the bound, the
   * events of the runs that ended first are removed, however old they are. Default: no bound.
   */
  readonly maxEventBytes?: number;
}

/** Milliseconds for which each kind is kept; a kind that is kept for ever is missing. */
export type RetentionAges = Readonly<Partial<Record<RetainedKind, number>>>;

/** The ages and the bound at which data is removed. */
export interface RetentionRules {
  readonly ages: RetentionAges;
  /** Undefined: no bound. */
  readonly maxEventBytes: number | undefined;
}

const units = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Returns the milliseconds of a duration; undefined for any other value. */
export function durationOf(value: unknown): number | undefined {
  const [, number, unit] = /^(\d{1,6})([mhd])$/.exec(typeof value === "string" ? value : "") ?? [];
  const milliseconds = Number(number) * units[unit as keyof typeof units];
  return milliseconds > 0 ? milliseconds : undefined;
}

/** Returns the age at which each kind of data is removed. */
export function agesOf({
  events = "30d",
  webhookDeliveries = "30d",
  ...others
}: Omit<Retention, "maxEventBytes">): RetentionAges {
  const { runs } = others;
  const chosen = { events, webhookDeliveries, ...others, evals: runs, experiments: runs };
  const ages = retainedKinds.map((kind) => [kind, durationOf(chosen[kind])] as const);
  return Object.fromEntries(ages.filter(([, age]) => age !== undefined));
}
