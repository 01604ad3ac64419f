/** Checks the fires of a history. */
import type { ScheduleFiresTable } from "../../../src/store/rows/tables.ts";
import { epoch } from "../clock.ts";
import { plainEndpoint } from "./process.ts";
import type { SimulatedRun } from "./runs.ts";
import type { ScheduleWorld, Subject } from "./world.ts";

type Row = ScheduleFiresTable;

/** A broken promise and its details. */
export interface Broken {
  readonly check: "twice" | "lost" | "record" | "overlap" | "early" | "liveness" | "error";
  readonly what: string;
}

/** Run statuses that a fire's record may have. */
const told: Readonly<Record<string, readonly (SimulatedRun["status"] | undefined)[]>> = {
  success: ["COMPLETED"],
  paused: ["PAUSED"],
  failed: ["ERROR", "CANCELLED", undefined],
  cancelled: ["CANCELLED", undefined],
  skipped: [undefined],
};

/** Whether all planned fires have ended. */
export function isSettled({ shared }: ScheduleWorld): boolean {
  const open = shared.rows("select 1 from schedule_fires where is_open = 1 or status = 'running' limit 1").length > 0;
  const due = "select 1 from schedules where enabled = 1 and next_run_at is not null limit 1";
  return !open && shared.rows(due).length === 0;
}

/** Checks all fires and runs. */
export function checkFires(world: ScheduleWorld): Broken | undefined {
  if (world.errors.length > 0) return { check: "error", what: String((world.errors[0] as Error).stack) };
  for (const subject of world.subjects) {
    const { id } = subject.schedule;
    const rows = world.shared.rows<Row>(
      "select * from schedule_fires where schedule_id = ? order by tick, attempt",
      id,
    );
    const broken = checkTicks(world, subject, rows) ?? checkRuns(world, subject, rows);
    if (broken) return broken;
  }
  return undefined;
}

function checkTicks(world: ScheduleWorld, { schedule, ticks, isTouched }: Subject, rows: readonly Row[]) {
  const byTick = Map.groupBy(
    rows.filter(({ tick }) => tick !== null),
    ({ tick }) => tick as number,
  );
  for (const [tick, fires] of byTick) {
    const name = `tick ${tick - epoch} (${schedule.overlap})`;
    const runs = fires.map(({ run_id }) => world.runs.all.get(run_id)?.status);
    const good = Math.max(
      fires.filter(({ status }) => status === "success").length,
      runs.filter((status) => status === "COMPLETED").length,
    );
    const attempts = fires.map(({ attempt }) => attempt);
    const isRow = attempts.every((attempt, place) => attempt === place + 1);
    if (good > 1 || !isRow)
      return broken("twice", `${name} has the attempts ${attempts}, and ${good} of them succeeded`);
    if (fires.slice(0, -1).some(({ status }) => status !== "failed")) {
      return broken("twice", `${name} has another attempt after ${fires.map(({ status }) => status)}`);
    }
    if (!isTouched && !ticks.includes(tick)) return broken("twice", `${name} is not a tick of the schedule`);
  }
  if (isTouched || schedule.catchUp !== "all") return undefined;
  const lost = ticks.filter((tick) => !byTick.has(tick));
  return lost.length > 0 ? broken("lost", `${lost.length} of ${ticks.length} ticks have no fire`) : undefined;
}

function checkRuns(world: ScheduleWorld, { schedule }: Subject, rows: readonly Row[]): Broken | undefined {
  const rowOf = new Map(rows.map((row) => [row.run_id, row]));
  const runs = [...world.runs.all.values()].filter(({ scheduleId }) => scheduleId === schedule.id);
  const stray = runs.find(({ runId }) => !rowOf.has(runId));
  if (stray) return broken("twice", `a run that started at ${stray.startedAt} belongs to no fire`);
  for (const row of rows) {
    const run = world.runs.all.get(row.run_id);
    const isPlain = schedule.endpoint === plainEndpoint;
    if (!told[row.status]?.includes(run?.status) && !(isPlain && row.status === "success")) {
      return broken("record", `a fire is ${row.status}, but its run is ${run?.status} (${row.detail})`);
    }
    if (isPlain && row.status === "success" && !world.runs.calls.has(row.id)) {
      return broken("lost", "a fire is success, but its endpoint was not called");
    }
    const since = run ? epoch + run.startedAt + 200 : Number.POSITIVE_INFINITY;
    // A run that continues after a pause is due again at that time.
    if (since < row.due_at && !run?.wentOn)
      return broken("early", `a run started ${row.due_at - since} ms before its time`);
    const failed = rows.find(({ tick, attempt }) => tick === row.tick && tick !== null && attempt === row.attempt - 1);
    const delay = row.due_at - (failed?.completed_at ?? Number.NEGATIVE_INFINITY);
    if (delay < schedule.retryDelaySeconds * 1_000) return broken("early", `a retry started after ${delay} ms`);
  }
  if (schedule.overlap === "allow") return undefined;
  const ofTicks = runs.filter(({ runId }) => rowOf.get(runId)?.tick !== null);
  ofTicks.sort((one, other) => one.startedAt - other.startedAt);
  for (const [place, run] of ofTicks.entries()) {
    const before = ofTicks[place - 1];
    if (before && (before.endedAt ?? Number.POSITIVE_INFINITY) > run.startedAt) {
      return broken("overlap", `a run started at ${run.startedAt}, but the run before ended at ${before.endedAt}`);
    }
  }
  return undefined;
}

function broken(check: Broken["check"], what: string): Broken {
  return { check, what };
}
