/** Evals in their wire form. */
import { z } from "zod";
import {
  type EvalRequest,
  type EvalResult,
  type EvalType,
  evalStatuses,
  evalTypes,
  type ListedEval,
} from "../../runs/evals/calls.ts";
import { named } from "../input/named-schemas.ts";
import { pageInfo } from "./pages.ts";
import { isoSeconds } from "./times.ts";

const text = z.string().nullish();
const object = z.record(z.string(), z.unknown());

/** The type of an eval. */
export const evalType: z.ZodType<EvalType> = named("EvalType", z.enum(evalTypes));

const evalRun = z.object({
  id: z.string(),
  agent_id: text,
  model_id: text,
  model_provider: text,
  team_id: text,
  workflow_id: text,
  name: text,
  evaluated_component_name: text,
  eval_type: evalType,
  eval_data: object,
  eval_input: object.nullish(),
  created_at: z.iso.datetime().nullish(),
  updated_at: z.iso.datetime().nullish(),
  status: z.enum(evalStatuses),
  passed: z.boolean().nullable().describe("Whether the component meets the expectations; null until it is known."),
  progress: z.object({ done: z.int().min(0), total: z.int().min(1) }),
  error: text.describe("Why the eval was given up or cancelled."),
});

/** One eval. */
export const evalRecord: z.ZodType = named("EvalSchema", evalRun);

/** A page of evals. */
export const evalPage: z.ZodType = named(
  "PaginatedResponse_EvalSchema_",
  z.object({ data: z.array(evalRecord), meta: pageInfo }),
);

/** `eval_input`: what the eval was given, by its type. */
function toInput(request: EvalRequest): Record<string, unknown> {
  const { type, input, guidelines = null, context = null, iterations, threshold } = request;
  const judged = { additional_guidelines: guidelines };
  if (type === "performance") return { num_iterations: iterations, warmup_runs: request.warmups, input };
  if (type === "reliability")
    return {
      expected_tool_calls: request.expectedTools ?? null,
      allow_additional_tool_calls: request.allowsOtherTools,
      expected_tool_call_arguments: request.expectedArguments ?? null,
      ...{ num_iterations: iterations, input },
    };
  if (type === "accuracy")
    return {
      ...{ ...judged, additional_context: context, num_iterations: iterations },
      ...{ expected_output: request.expectedOutput ?? null, input, threshold },
      ...(request.scorers ? { scorers: request.scorers } : {}),
    };
  return {
    ...{ criteria: request.criteria ?? null, scoring_strategy: request.scoring, threshold, ...judged },
    ...{ additional_context: context, num_iterations: iterations, input },
  };
}

export function toEvalRecord(one: ListedEval): Record<string, unknown> {
  const { kind, id } = one.component;
  const result = one.result === null ? undefined : (JSON.parse(one.result) as EvalResult);
  return {
    id: one.id,
    agent_id: kind === "agent" ? id : null,
    ...{ model_id: one.model, model_provider: one.modelProvider, team_id: kind === "team" ? id : null },
    ...{ workflow_id: null, name: one.name, evaluated_component_name: one.componentName, eval_type: one.type },
    eval_data: { ...result?.data },
    eval_input: one.request === null ? null : toInput(JSON.parse(one.request) as EvalRequest),
    ...{ created_at: isoSeconds(one.createdAt), updated_at: isoSeconds(one.updatedAt), status: one.status },
    ...{ passed: result?.passed ?? null, progress: { done: one.done, total: one.total } },
    ...(result?.error === undefined ? {} : { error: result.error }),
  } satisfies z.input<typeof evalRun>;
}
