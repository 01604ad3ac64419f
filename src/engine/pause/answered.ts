/**
 * What a run waited for, with what was answered: a mark of each continue, made in the transaction that lets the run go on. Whoever takes the
 * run up finds it there, and what the run comes to has it.
 */
import { InvariantError } from "../../errors.ts";
import type { Answered, Pause, ToolExecution, ToolRequirement } from "../../model/record.ts";
import type { ComponentKind } from "../../model/run.ts";
import type { Mark } from "../../store/contract/store.ts";
import type { Recovery } from "../run/recovery.ts";

/** What one continue answered, with the keys of the runs that asked. */
type AnsweredPause = Answered & Required<Pick<Pause, "runKeys">>;

const prefix = "answered:";

/** The mark of a continue. The attempt that paused names the pause. */
export function answeredMark(
  run: { readonly key: number; readonly attempt: number },
  { runKeys = {} }: Pause,
  answered: Answered,
  createdAt: number,
): Mark {
  const body: AnsweredPause = { ...answered, runKeys };
  return { runKey: run.key, name: `${prefix}${run.attempt}`, createdAt, body: JSON.stringify(body) };
}

/** The tool calls among it: its own, its members', and those of its steps' executors. */
export function callsIn({ requirements = [], stepRequirements = [] }: Answered): readonly ToolRequirement[] {
  return [
    ...requirements,
    ...stepRequirements.flatMap((step) => (step.executor_requirements ?? []) as readonly ToolRequirement[]),
  ];
}

/** What a run and those under it waited for before, in order; undefined for nothing. */
export function answeredBefore(
  recovery: Recovery | undefined,
  run: { readonly key: number; readonly kind: ComponentKind },
): Answered | undefined {
  if (!recovery) return undefined;
  const pauses = [...recovery.marks].flatMap(([name, body]) =>
    name.startsWith(prefix) ? [{ attempt: Number(name.slice(prefix.length)), ...(body as AnsweredPause) }] : [],
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

/** The same with the calls as they are now. @param callsOf the finished calls of a run, the one that asked where none is named */
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

/** Key of the run that asked a question. */
export function askedBy({ runKeys }: Pause, id: string): number {
  const key = runKeys?.[id];
  if (key === undefined) throw new InvariantError(`It is not known which run the question ${id} is of.`);
  return key;
}

/** Keys of a run and of all under it. */
function keysUnder({ members }: Recovery, key: number): ReadonlySet<number> {
  const keys = new Set([key]);
  // They are in the order in which they were made: who is above comes first.
  for (const { row } of members) if (row.parentKey !== null && keys.has(row.parentKey)) keys.add(row.key);
  return keys;
}
