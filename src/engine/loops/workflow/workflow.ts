/** A workflow's run: its steps in their order, until it has an answer. */
import { versionFieldsOf } from "../../../define/configuration/versions.ts";
import type { LeafNode, StepFunction, Workflow } from "../../../define/workflow/types.ts";
import { abortable } from "../../../model/abortable.ts";
import type { RunOutput } from "../../../model/run/record.ts";
import type { StepOutcome, StepRecord, StepRequirement } from "../../../model/workflow.ts";
import { faultsOf } from "../../model-call/answer-schema.ts";
import { joinedPlaces } from "../../pause/waiting-calls.ts";
import { stepSpan } from "../../run/run-spans.ts";
import { type LoopOf, type MemberScope, RunFailure, RunPaused, RunStopped, type WorkflowScope } from "../contract.ts";
import { type Effects, type Flow, type LeafAttempt, StepFailure, StepsPaused, waitMarkName } from "./effects.ts";
import { callFunction, executeStep, type WorkflowExecution } from "./executor.ts";
import { readInput } from "./input.ts";
import { runSequence } from "./interpret.ts";
import type { Place } from "./places.ts";
import { emptyRequirement, requirementId } from "./questions.ts";

/** Runs a workflow until it has an answer. */
export function workflowLoop(loopOf: LoopOf): (scope: MemberScope<Workflow> | WorkflowScope) => Promise<RunOutput> {
  return async (given) => {
    const scope = given as WorkflowScope;
    const begun = scope.runtime.clock.monotonic();
    const done: StepOutcome[] = [];
    const output = (content: unknown): RunOutput => toOutput(scope, done, content, begun);
    scope.partialOutput = () => output(done.at(-1)?.content);
    if (scope.mark("begun") === undefined) {
      scope.setMark("begun", true);
      scope.emit("RunStarted", versionFieldsOf(scope.component));
      await scope.commit();
    }
    const input = await readInput(scope.component, scope.input.message);
    const execution: WorkflowExecution = { scope, input, loopOf };
    try {
      const effects = effectsOn(execution, done);
      const { flow } = await runSequence(effects, scope.component.steps, {
        input,
        previous: undefined,
        outputs: new Map(),
        records: new Map(),
      });
      return output(await checked(scope.component, flow.previous ? flow.previous.content : null));
    } catch (error) {
      if (error instanceof StepFailure) throw new RunFailure(error.type, error.message, error);
      if (error instanceof StepsPaused) {
        const { content } = done.at(-1) ?? {};
        done.push(...reviewedOf(scope, error));
        scope.partialOutput = () => output(content);
        throw pauseOf(scope, error);
      }
      throw error;
    }
  };
}

function effectsOn(execution: WorkflowExecution, done: StepOutcome[]): Effects {
  const { scope } = execution;
  const effects: Effects = {
    workflowId: scope.component.id,
    runId: scope.context.runId,
    mark(name) {
      const value = scope.mark(name);
      addFinished(done, name, value);
      return value;
    },
    setMark(name, value) {
      scope.setMark(name, value);
      addFinished(done, name, value);
    },
    emit(place, event, fields) {
      if (event === "StepStarted" || event === "StepExecutorContinued") scope.spans.begin(stepSpan(place.stepId));
      scope.emit(event, { ...placeFields(place), ...fields });
    },
    now: () => scope.runtime.clock.now(),
    commit: () => scope.commit(),
    call: <Result>(place: Place, flow: Flow, human: Parameters<Effects["call"]>[2], of: StepFunction<Result>) =>
      callFunction(execution, place, flow, human, of),
    async executeStep(place, flow, attempt) {
      try {
        return await executeStep(execution, place, flow, attempt);
      } catch (error) {
        throw error instanceof RunPaused ? executorPause(scope, effects, place, flow, attempt, error) : error;
      }
    },
    sleep: (milliseconds) => abortable(scope.runtime.clock.sleep(milliseconds, scope.signal), scope.signal),
    cancel() {
      throw new RunStopped({ kind: "cancelled" });
    },
  };
  return effects;
}

/** The pause of an agent or a team in a step; for a workflow in a step, the pause of its steps. */
function executorPause(
  { context }: WorkflowScope,
  effects: Pick<Effects, "runId" | "setMark" | "emit">,
  place: Place,
  flow: Flow,
  attempt: LeafAttempt,
  { pause }: RunPaused,
): StepsPaused {
  const { requirements = [], stepRequirements } = pause;
  const calls = joinedPlaces([pause]);
  if (stepRequirements) {
    effects.setMark(waitMarkName(attempt), true);
    return new StepsPaused(stepRequirements, "executor", calls);
  }
  const { agent, team } = place.node as LeafNode;
  const part = agent ?? team;
  const executor = {
    ...(part && { executor_id: part.id, executor_name: part.name }),
    ...(pause.executorRunId !== undefined && { executor_run_id: pause.executorRunId }),
    ...(part && { executor_type: part.kind }),
  };
  effects.setMark(waitMarkName(attempt), executor);
  effects.emit(place, "StepExecutorPaused", { ...executor, executor_requirements: requirements });
  const requirement: StepRequirement = {
    ...emptyRequirement(place, flow, requirementId(effects.runId, `${place.path}:executor`)),
    requires_executor_input: true,
    executor_requirements: requirements,
    ...executor,
    executor_session_id: context.session.id,
  };
  return new StepsPaused([requirement], "executor", calls);
}

/** Adds each finished top-level step once. */
function addFinished(done: StepOutcome[], name: string, value: unknown): void {
  if (!/^step:\d+$/.test(name) || typeof value !== "object" || value === null || !("record" in value)) return;
  const outcome = value as StepOutcome;
  if (!done.some(({ record }) => record.step_id === outcome.record.step_id)) done.push(outcome);
}

function placeFields({ stepId, parentStepId, name, index }: Place): Readonly<Record<string, unknown>> {
  return { step_id: stepId, parent_step_id: parentStepId, step_name: name, step_index: index };
}

async function checked({ output, name }: Workflow, content: unknown): Promise<unknown> {
  if (!output) return content;
  const result = await output.safeParseAsync(content);
  if (result.success) return result.data;
  throw new RunFailure("output_mismatch", `The output of ${name} does not fit:\n${faultsOf(result.error)}`);
}

function pauseOf({ context, runKey }: WorkflowScope, { requirements, kind, calls }: StepsPaused): RunPaused {
  const own = requirements.filter(({ requirement_id: id }) => id.startsWith(requirementId(context.runId, "")));
  const ownKeys = Object.fromEntries(own.map(({ requirement_id: id }) => [id, runKey]));
  const [first] = requirements;
  const index = first?.step_index;
  return new RunPaused({
    kind,
    stepRequirements: requirements,
    ...calls,
    runKeys: { ...calls.runKeys, ...ownKeys },
    ...(first && { stepName: first.step_name }),
    ...(index !== undefined && { stepIndex: typeof index === "number" ? index : (index[0] ?? 0) }),
  });
}

/** Top-level steps whose output waits for review: they have run, and are part of the results while they wait. */
function reviewedOf({ context }: WorkflowScope, { requirements }: StepsPaused): readonly StepOutcome[] {
  return requirements.flatMap(({ requirement_id: id, step_index, step_output: record }) => {
    const isOwn = id.startsWith(requirementId(context.runId, "")) && typeof step_index === "number";
    return isOwn && record ? [{ record, content: record.content }] : [];
  });
}

function toOutput(scope: WorkflowScope, done: readonly StepOutcome[], content: unknown, begun: number): RunOutput {
  const records = done.map(({ record }) => record);
  const steps = Object.fromEntries(executed(records).map((record) => [record.step_name, metricsOf(record)]));
  const media = done.at(-1)?.media;
  return {
    content,
    contentType: typeof content === "string" ? "str" : content === null || content === undefined ? "str" : "object",
    stepResults: records,
    metrics: { steps, duration: (scope.runtime.clock.monotonic() - begun) / 1000 },
    executorRuns: scope.executorRuns(),
    ...(media?.length && { media }),
    ...(scope.options.metadata && { metadata: scope.options.metadata }),
  };
}

function executed(records: readonly StepRecord[]): readonly StepRecord[] {
  return records.flatMap((record) => (record.steps ? executed(record.steps) : record.metrics ? [record] : []));
}

function metricsOf({
  step_name,
  executor_type,
  executor_name,
  metrics,
}: StepRecord): Readonly<Record<string, unknown>> {
  return { step_name, executor_type, executor_name, metrics };
}
