/** Runs in the form of listings: a fixed shape in which null members stay, and times are ISO texts. Only failed runs have error members. */
import { z } from "zod";
import { failureFields } from "../../model/run/failure.ts";
import type { ComponentKind } from "../../model/run/run.ts";
import { listsEvents, type RunFamily } from "../../runs/read.ts";
import { named } from "../input/named-schemas.ts";
import { rawJson } from "../transport/json-pieces.ts";
import { toInputLists, toMediaLists } from "./media.ts";
import { toWireMessage } from "./messages.ts";
import {
  contentOf,
  executorRecords,
  originOf,
  shownInputOf,
  shownOutputOf,
  stepRequirementsOf,
  toolsOf,
  versionMember,
  wireStatus,
  workflowMetricsOf,
} from "./run.ts";
import { isoSeconds } from "./times.ts";

const object = z.record(z.string(), z.unknown());
const objects = z.array(object);

const commonMembers = {
  run_id: z.string(),
  parent_run_id: z.string().nullish(),
  status: z.string().nullish(),
  run_input: z.string().nullish(),
  content: z.union([z.string(), object]).nullish(),
  run_response_format: z.string().nullish(),
  reasoning_content: z.string().nullish(),
  reasoning_steps: objects.nullish(),
  metrics: object.nullish(),
  messages: objects.nullish(),
  tools: objects.nullish(),
  events: objects.nullish(),
  created_at: z.iso.datetime().nullish(),
  references: objects.nullish(),
  citations: object.nullish(),
  reasoning_messages: objects.nullish(),
  session_state: object.nullish(),
  images: objects.nullish(),
  videos: objects.nullish(),
  audio: objects.nullish(),
  files: objects.nullish(),
  response_audio: object.nullish(),
  input_media: object.nullish(),
  followups: z.array(z.string()).nullish(),
  forked_from_run_id: z.string().nullish(),
  forked_from_message_index: z.int().nullish(),
  forked_from_session_id: z.string().nullish(),
  regenerated_from: z.string().nullish(),
  component_version: z.int().optional(),
  last_checkpoint_at_message_index: z.int().nullish(),
  error_type: z.string().nullish(),
  error_id: z.string().nullish(),
};

/** The common members that a workflow's run has. */
const workflowMembers = {
  run_id: true,
  status: true,
  run_input: true,
  content: true,
  reasoning_content: true,
  reasoning_steps: true,
  metrics: true,
  events: true,
  created_at: true,
  component_version: true,
  references: true,
  citations: true,
  reasoning_messages: true,
  images: true,
  videos: true,
  audio: true,
  files: true,
  response_audio: true,
  error_type: true,
  error_id: true,
} as const;

const agentElement = named(
  "RunSchema",
  z.object({ ...commonMembers, agent_id: z.string().nullish(), user_id: z.string().nullish() }),
);
const teamElement = named("TeamRunSchema", z.object({ ...commonMembers, team_id: z.string().nullish() }));

const workflowElement = named(
  "WorkflowRunSchema",
  z.object(commonMembers).pick(workflowMembers).extend({
    workflow_id: z.string().nullish(),
    user_id: z.string().nullish(),
    content_type: z.string().nullish(),
    step_results: objects.nullish(),
    step_executor_runs: objects.nullish(),
    step_requirements: objects.nullish(),
    pause_kind: z.string().nullish(),
    paused_step_name: z.string().nullish(),
    paused_step_index: z.int().nullish(),
  }),
);

/** Schemas of list elements, by component kind. */
export const listElements: Readonly<Record<ComponentKind, z.ZodType>> = {
  agent: agentElement,
  team: teamElement,
  workflow: workflowElement,
};

/** The parts of a run that a listing has: members only where the listing shows them. */
export type ListedFamily = Omit<RunFamily, "members"> & Partial<Pick<RunFamily, "members">>;

/** An element of the listing of runs. Bytes of media are omitted: the single record has them. */
export function toListElement(family: ListedFamily): Record<string, unknown> {
  const { run } = family;
  if (run.kind === "workflow") return toWorkflowElement(family);
  const common = commonValues(family);
  if (run.kind === "team") return { ...common, team_id: run.componentId } satisfies z.output<typeof teamElement>;
  const element: z.output<typeof agentElement> = { ...common, agent_id: run.componentId, user_id: run.userId };
  return element;
}

/** Members that are shown even if they are null: the parent run and the user. */
const belongings: ReadonlySet<string> = new Set(["parent_run_id", "user_id"]);

/** An element of the listing of a session's runs: other null members are omitted. */
export function toSessionElement(family: ListedFamily): Record<string, unknown> {
  const members = Object.entries(toListElement(family));
  return Object.fromEntries(members.filter(([name, value]) => value !== null || belongings.has(name)));
}

function toWorkflowElement({ run, events, members = [], messages }: ListedFamily): Record<string, unknown> {
  const output = shownOutputOf(run);
  const { pause } = output;
  return {
    run_id: run.runId,
    run_input: shownInputOf(run).message,
    events: events.map(rawJson),
    workflow_id: run.componentId,
    user_id: run.userId,
    content: shownContent(output.content ?? output.error?.message) ?? "",
    content_type: output.contentType ?? "str",
    status: wireStatus(run),
    step_results: (output.stepResults ?? []).map((result) => ({ ...result })),
    step_executor_runs: executorRecords({ run, members, messages, events: [] }),
    step_requirements: stepRequirementsOf(output)?.map((requirement) => ({ ...requirement })) ?? null,
    pause_kind: pause?.kind ?? null,
    paused_step_name: pause?.stepName ?? null,
    paused_step_index: pause?.stepIndex ?? null,
    metrics: workflowMetricsOf(output),
    created_at: isoSeconds(run.createdAt),
    reasoning_content: "",
    reasoning_steps: [],
    references: [],
    citations: null,
    reasoning_messages: [],
    ...mutable(toMediaLists(output.media, false)),
    response_audio: null,
    ...versionMember(run),
    ...failureFields(output.error),
  } satisfies z.output<typeof workflowElement>;
}

function commonValues({ run, messages, events }: ListedFamily) {
  const output = shownOutputOf(run);
  const input = shownInputOf(run);
  const own = messages.get(run.key) ?? [];
  return {
    run_id: run.runId,
    parent_run_id: run.parentRunId,
    status: wireStatus(run),
    run_input: input.message,
    content: shownContent(contentOf(run, output)),
    run_response_format: (output.contentType ?? "str") === "str" ? "text" : "json",
    reasoning_content: output.reasoningContent ?? "",
    reasoning_steps: (output.reasoningSteps ?? []).map((step) => ({ ...step })),
    metrics: { ...output.metrics },
    messages: own.map((message) => toWireMessage(message, false)),
    tools: toolsOf(output)?.map((tool) => ({ ...tool })) ?? null,
    events: listsEvents(run) ? events.map(rawJson) : null,
    created_at: isoSeconds(run.createdAt),
    references: (output.references ?? []).map((one) => ({ ...one })),
    citations: output.citations ? { ...output.citations } : null,
    reasoning_messages: [],
    session_state: output.sessionState ?? null,
    ...mutable(toMediaLists(output.media, false)),
    response_audio: null,
    input_media: toInputLists(input.media, false),
    followups: output.followups ? [...output.followups] : null,
    ...originOf(run),
    ...versionMember(run),
    last_checkpoint_at_message_index: null,
    ...failureFields(output.error),
  };
}

/** The contract's element is a text or an object; a list in a structured answer is shown as its JSON text. */
function shownContent(content: unknown): string | Record<string, unknown> | null {
  if (content === undefined || content === null) return null;
  if (typeof content === "string") return content;
  if (typeof content === "object" && !Array.isArray(content)) return content as Record<string, unknown>;
  return JSON.stringify(content);
}

function mutable({ images, videos, audio, files }: ReturnType<typeof toMediaLists>) {
  return { images: [...images], videos: [...videos], audio: [...audio], files: [...files] };
}
