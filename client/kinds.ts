/** What differs between agents, teams and workflows. */
import type { ComponentKind } from "../src/model/run.ts";
import type { StepRequirement } from "../src/model/workflow.ts";

/** An answer to a tool call that waits, by the id in `tools` of the event that told the pause. */
export interface ToolAnswer {
  readonly tool_call_id: string;
  readonly confirmed?: boolean;
  readonly confirmation_note?: string;
  /** Values that a person gave. */
  readonly user_input_schema?: readonly { readonly name: string; readonly value: unknown }[];
  /** Of a tool that is executed outside. */
  readonly result?: string;
}

/** An answer to what a team waits for, by the id in `requirements` of the event that told the pause. */
export interface RequirementAnswer {
  readonly id: string;
  readonly confirmation?: boolean;
  readonly confirmation_note?: string;
  readonly external_execution_result?: string;
  readonly user_input_schema?: readonly { readonly name: string; readonly value: unknown }[];
}

/** An answer to a step of a workflow that waits. */
export interface StepAnswer {
  readonly step_name?: string;
  readonly requirement_id?: string;
  readonly confirmed?: boolean;
  readonly user_input?: Readonly<Record<string, unknown>>;
  readonly selected_choices?: readonly string[];
  readonly edited_output?: unknown;
  readonly rejection_feedback?: StepRequirement["rejection_feedback"];
  /** Of a step whose agent or team waits. */
  readonly executor_requirements?: readonly RequirementAnswer[];
}

/** How a run of each kind of component is answered. */
export interface Answers {
  readonly agent: ToolAnswer;
  readonly team: RequirementAnswer;
  readonly workflow: StepAnswer;
}

/** The field of the form that has the answers. */
export const answerFields: Readonly<Record<ComponentKind, string>> = {
  agent: "tools",
  team: "requirements",
  workflow: "step_requirements",
};

/** What the names of the events that end a run begin with. */
export const endingPrefixes: Readonly<Record<ComponentKind, string>> = {
  agent: "Run",
  team: "TeamRun",
  workflow: "Workflow",
};
