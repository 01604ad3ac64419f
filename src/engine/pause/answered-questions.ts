/**
 * The answered questions of a run: one mark for each continue, written in the transaction that continues the run. A process that recovers the
 * run reads it, and the run's result includes it.
 */

import { InvariantError } from "../../errors.ts";
import { callsIn } from "../../model/run/pause.ts";
import type { Answered, Pause, ToolExecution, ToolRequirement } from "../../model/run/record.ts";
import type { ComponentKind } from "../../model/run/run.ts";
import { answeredName, attemptAnswered } from "../../model/run/run-marks.ts";
import type { Mark } from "../../store/contract/store.ts";
import type { Recovery } from "../run/recovery.ts";

/** The answers of one continue, with the keys of the runs that asked. */
type AnsweredPause = Answered & Required<Pick<Pause, "runKeys">>;

/** The mark of a continue. Its name contains the attempt that paused. */
export function answeredMark(
  run: { readonly key: number; readonly attempt: number },
  { runKeys = {} }: Pause,
  answered: Answered,
  createdAt: number,
): Mark {
  const body: AnsweredPause = { ...answered, runKeys };
  return { runKey: run.key, name: answeredName(run.attempt), createdAt, body: JSON.stringify(body) };
}

/** Answered questions of a run and the runs under it, in order; undefined if there are none. */
export function answeredBefore(
  recovery: Recovery | undefined,
  run: { readonly key: number; readonly kind: ComponentKind },
): Answered | undefined {
  if (!recovery) return undefined;
  const pauses = [...recovery.marks].flatMap(([name, body]) =>
    attemptAnswered(name) === undefined ? [] : [{ attempt: Number(attemptAnswered(name)), ...(body as AnsweredPause) }],
  );
  if (pauses.length === 0) return undefined;
  pauses.sort((one, other) => one.attempt - other.attempt);
  const keys = keysUnder(recovery, run.key);
  const asked = <Item>(items: readonly Item[], idOf: (item: Item) => string, { runKeys }: AnsweredPause): Item[] =>
    items.filter((item) => keys.has(runKeys[idOf(item)] ?? Number.NaN));
  const answered: Answered =
    run.kind === "workflow"
      ? {
          stepRequirements: pauses.flatMap((one) =>
            asked(one.stepRequirements ?? [], (step) => step.requirement_id, one),
          ),
        }
      : { requirements: pauses.flatMap((one) => asked(callsIn(one), ({ id }) => id, one)) };
  return Object.values(answered).some((items) => items.length > 0) ? answered : undefined;
}

/** Returns the answers with the current state of their calls. @param callsOf returns a run's finished calls; undefined means the run that asked */
export function withCalls(
  { requirements, stepRequirements }: Answered,
  callsOf: (runId: string | undefined) => readonly ToolExecution[],
): Answered {
  const made = (asked: readonly ToolRequirement[]): readonly ToolRequirement[] =>
    asked.map((requirement) => {
      const { member_run_id, tool_execution } = requirement;
      const call = callsOf(member_run_id).find(({ tool_call_id }) => tool_call_id === tool_execution.tool_call_id);
      return call ? { ...requirement, tool_execution: call } : requirement;
    });
  const steps = stepRequirements?.map(({ executor_requirements: calls, ...step }) => ({
    ...step,
    ...(calls && { executor_requirements: made(calls as readonly ToolRequirement[]) }),
  }));
  return { ...(requirements && { requirements: made(requirements) }), ...(steps && { stepRequirements: steps }) };
}

/** Returns the key of the run that asked a question. */
export function askedBy({ runKeys }: Pause, id: string): number {
  const key = runKeys?.[id];
  if (key === undefined) throw new InvariantError(`It is not known which run the question ${id} is of.`);
  return key;
}

/** Keys of a run and of all runs under it. */
export function keysUnder({ members }: Recovery, key: number): ReadonlySet<number> {
  const keys = new Set([key]);
  // Members are in the order of their creation: a parent precedes its children.
  for (const { row } of members) if (row.parentKey !== null && keys.has(row.parentKey)) keys.add(row.key);
  return keys;
}
