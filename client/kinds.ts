/** Differences between agents, teams and workflows. */
import type { ComponentKind } from "../src/model/run/run.ts";
import type { StepRequirement } from "../src/model/workflow.ts";

/** Answer to a paused tool call of an agent. `tool_call_id` is in `tools` of the event of the pause. */
export interface ToolAnswer {
  readonly tool_call_id: string;
  readonly confirmed?: boolean;
  readonly confirmation_note?: string;
  /** Values that a person entered. */
  readonly user_input_schema?: readonly { readonly name: string; readonly value: unknown }[];
  /** Result of a call to an external tool. */
  readonly result?: string;
}

/** Answer to a requirement of a paused team. `id` is in `requirements` of the event of the pause. */
export interface RequirementAnswer {
  readonly id: string;
  readonly confirmation?: boolean;
  readonly confirmation_note?: string;
  readonly external_execution_result?: string;
  readonly user_input_schema?: readonly { readonly name: string; readonly value: unknown }[];
}

/** Answer to a step of a paused workflow. */
export interface StepAnswer {
  readonly step_name?: string;
  readonly requirement_id?: string;
  readonly confirmed?: boolean;
  readonly user_input?: Readonly<Record<string, unknown>>;
  readonly selected_choices?: readonly string[];
  readonly edited_output?: unknown;
  readonly rejection_feedback?: StepRequirement["rejection_feedback"];
  /** Answers for the agent or team of a step. */
  readonly executor_requirements?: readonly RequirementAnswer[];
}

/** The type of an answer for each kind of component. */
export interface Answers {
  readonly agent: ToolAnswer;
  readonly team: RequirementAnswer;
  readonly workflow: StepAnswer;
}

/** The form field that carries the answers. */
export const answerFields: Readonly<Record<ComponentKind, string>> = {
  agent: "tools",
  team: "requirements",
  workflow: "step_requirements",
};

/** Prefixes of the events with which runs end or pause. */
export const endingPrefixes: Readonly<Record<ComponentKind, string>> = {
  agent: "Run",
  team: "TeamRun",
  workflow: "Workflow",
};
