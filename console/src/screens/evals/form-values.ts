/** The form of an eval: its values, and the request that they become. */
import { type FormFaults, formFaults } from "../../api/form-faults.ts";
import type { components } from "../../api/schema.ts";
import { isComplete, type ScorerChoice, toScorers } from "../../api/scorers.ts";
import type { EvalComponentKind, evalTypes } from "./search.ts";

type NewEval = components["schemas"]["EvalRunInput"];

/** What a person enters, beside the type and the component, which the URL has. */
export interface EvalValues {
  readonly input: string;
  readonly name: string;
  /** Undefined numbers stand for the default of the server. */
  readonly iterations: number | undefined;
  readonly expectedOutput: string;
  readonly scorers: ScorerChoice;
  readonly criteria: string;
  readonly scoring: "binary" | "numeric";
  readonly threshold: number | undefined;
  readonly guidelines: string;
  readonly warmups: number | undefined;
  readonly tools: readonly string[];
  readonly allowsOtherTools: boolean;
  /** JSON, or empty. */
  readonly toolArguments: string;
}

/** A field that can have a fault. */
export type EvalField = keyof EvalValues | "component" | "type";

/** The fields by the members of the request, for errors of the server. */
const evalFields: Readonly<Record<string, EvalField>> = {
  eval_type: "type",
  agent_id: "component",
  team_id: "component",
  input: "input",
  name: "name",
  num_iterations: "iterations",
  expected_output: "expectedOutput",
  scorers: "scorers",
  criteria: "criteria",
  scoring_strategy: "scoring",
  threshold: "threshold",
  additional_guidelines: "guidelines",
  warmup_runs: "warmups",
  expected_tool_calls: "tools",
  allow_additional_tool_calls: "allowsOtherTools",
  expected_tool_call_arguments: "toolArguments",
};

const defaults = { iterations: 1, threshold: 7 } as const;

export const emptyValues: EvalValues = {
  input: "",
  name: "",
  iterations: defaults.iterations,
  expectedOutput: "",
  scorers: { names: [], options: {} },
  criteria: "",
  scoring: "binary",
  threshold: defaults.threshold,
  guidelines: "",
  warmups: 0,
  tools: [],
  allowsOtherTools: false,
  toolArguments: "",
};

/** What an eval is about. */
export interface EvalSubject {
  readonly type: (typeof evalTypes)[number];
  readonly kind: EvalComponentKind | undefined;
  readonly component: string | undefined;
}

/** What is missing before the request can be sent. */
export function faultsIn(subject: EvalSubject, values: EvalValues): Partial<Record<EvalField, string>> {
  const { type, component } = subject;
  const hasScorers = values.scorers.names.length > 0;
  return {
    ...(component === undefined && { component: "Choose a component." }),
    ...(values.input.trim() === "" && { input: "Enter the message of the runs." }),
    ...(type === "accuracy" &&
      values.expectedOutput.trim() === "" &&
      !hasScorers && { expectedOutput: "Enter the expected output, or choose scorers." }),
    ...(type === "accuracy" && !isComplete(values.scorers) && { scorers: "Enter the criteria of the judge." }),
    ...(type === "agent_as_judge" && values.criteria.trim() === "" && { criteria: "Enter what the judge checks." }),
    ...(type === "reliability" &&
      argumentsIn(values.toolArguments) === undefined && { toolArguments: "This is not a JSON object." }),
  };
}

export function toRequest({ type, kind, component = "" }: EvalSubject, values: EvalValues): NewEval {
  const { guidelines, threshold = defaults.threshold } = values;
  const judged = guidelines.trim() === "" ? {} : { additional_guidelines: guidelines.trim() };
  return {
    ...{
      eval_type: type,
      input: values.input,
      num_iterations: values.iterations ?? defaults.iterations,
      background: true,
    },
    ...(kind === "team" ? { team_id: component } : { agent_id: component }),
    ...(values.name.trim() !== "" && { name: values.name.trim() }),
    // These members have defaults that the types require.
    ...{ warmup_runs: 0, allow_additional_tool_calls: false, scoring_strategy: "binary", threshold },
    ...(type === "accuracy" && {
      ...judged,
      ...(values.expectedOutput.trim() !== "" && { expected_output: values.expectedOutput.trim() }),
      ...(values.scorers.names.length > 0 && { scorers: toScorers(values.scorers) }),
    }),
    ...(type === "agent_as_judge" && {
      ...{ ...judged, criteria: values.criteria.trim(), scoring_strategy: values.scoring },
    }),
    ...(type === "performance" && { warmup_runs: values.warmups ?? 0 }),
    ...(type === "reliability" && {
      ...{ expected_tool_calls: [...values.tools], allow_additional_tool_calls: values.allowsOtherTools },
      ...(values.toolArguments.trim() !== "" && {
        expected_tool_call_arguments: argumentsIn(values.toolArguments) as NonNullable<
          NewEval["expected_tool_call_arguments"]
        >,
      }),
    }),
  };
}

/** The fields that an error of the server is about. */
export function faultsOf(error: unknown): FormFaults<EvalField> {
  const found = formFaults(error, evalFields);
  // Errors of scorers name the scorer: `The scorer "regex": …`.
  if (found.other === undefined || !/\bscorers?\b/.test(found.other)) return found;
  return { faults: { ...found.faults, scorers: found.other }, other: undefined };
}

/** The object of a JSON text, an empty one for an empty text, or undefined. */
function argumentsIn(text: string): object | undefined {
  if (text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
