/** Agents, teams and workflows in their wire form: null members are omitted. */
import { z } from "zod";
import type { Agent } from "../../define/agent.ts";
import { type Factory, isFactory } from "../../define/factory.ts";
import { shownShape } from "../../define/json-shape.ts";
import { knowledgeUseOf } from "../../define/knowledge-use.ts";
import { modelName } from "../../define/model-name.ts";
import type { Component, Entry, Hosted } from "../../define/platform.ts";
import { isRemote, type Remote, type RemoteWorkflow } from "../../define/remote.ts";
import type { Member, Team } from "../../define/team.ts";
import type { StepNode, Workflow } from "../../define/workflow/types.ts";
import { childrenOf } from "../../define/workflow/workflow.ts";
import type { ListedTools } from "../../engine/mcp/listed-tools.ts";
import { providerName } from "../../engine/model-call/models.ts";
import type { ComponentKind } from "../../model/run/run.ts";
import { named } from "../input/named-schemas.ts";
import { tables } from "./database.ts";
import { describedTools } from "./tools.ts";
import { summariseWorkflow, versionFields, workflowSummary } from "./workflow-summary.ts";

const object = z.record(z.string(), z.unknown());

const modelResponse = named(
  "ModelResponse",
  z.object({ name: z.string().nullish(), model: z.string().nullish(), provider: z.string().nullish() }),
);

const commonMembers = {
  id: z.string().nullish(),
  name: z.string().nullish(),
  db_id: z.string().nullish(),
  description: z.string().nullish(),
  role: z.string().nullish(),
  is_factory: z.boolean().default(false),
  model: modelResponse.nullish(),
  tools: object.nullish(),
  sessions: object.nullish(),
  knowledge: object.nullish(),
  memory: object.nullish(),
  reasoning: object.nullish(),
  default_tools: object.nullish(),
  system_message: object.nullish(),
  response_settings: object.nullish(),
  introduction: z.string().nullish(),
  streaming: object.nullish(),
  metadata: object.nullish(),
  input_schema: object.nullish(),
  factory_input_schema: object.nullish(),
  is_component: z.boolean().default(false),
  current_version: z.int().nullish(),
  stage: z.string().nullish(),
};

const agentSchema = named("AgentResponse", z.object({ ...commonMembers, extra_messages: object.nullish() }));

const teamSchema = z.object({
  ...commonMembers,
  mode: z.string().nullish(),
  get members(): z.ZodOptional<z.ZodNullable<z.ZodArray<z.ZodType<object>>>> {
    return z.array(z.union([agentSchema, teamSchema])).nullish();
  },
});
named("TeamResponse", teamSchema);

const workflowSchema = named(
  "WorkflowResponse",
  z.object({
    id: z.string().nullish(),
    name: z.string().nullish(),
    db_id: z.string().nullish(),
    description: z.string().nullish(),
    input_schema: object.nullish(),
    steps: z.array(object).nullish(),
    agent: agentSchema.nullish(),
    team: teamSchema.nullish(),
    metadata: object.nullish(),
    workflow_agent: z.boolean().default(false),
    is_factory: z.boolean().default(false),
    factory_input_schema: object.nullish(),
    is_component: z.boolean().default(false),
    current_version: z.int().nullish(),
    stage: z.string().nullish(),
  }),
);

/** Schemas of the answers, by component kind. */
export const componentResponses: Readonly<Record<ComponentKind, z.ZodType>> = {
  agent: agentSchema,
  team: teamSchema,
  workflow: workflowSchema,
};

/** Schemas of the elements of lists. */
export const listedComponents: Readonly<Record<ComponentKind, z.ZodType>> = {
  ...componentResponses,
  workflow: workflowSummary,
};

/** An element of `GET /agents`, `GET /teams` and `GET /workflows`. */
export function toListedComponent(component: Entry, databaseId: string): Record<string, unknown> {
  if (isFactory(component)) return describedFactory(component, databaseId);
  if (isRemote(component)) return describedRemote(component, databaseId);
  return component.kind === "workflow"
    ? summariseWorkflow(component, databaseId)
    : toComponentResponse(component, databaseId);
}

/** A component as `GET /agents/{agent_id}` and `GET /teams/{team_id}` show it. @param listed the tools of its MCP servers */
export function toComponentResponse(
  component: Hosted | Factory,
  databaseId: string,
  listed: ListedTools = new Map(),
): Record<string, unknown> {
  if (isFactory(component))
    return {
      ...describedFactory(component, databaseId),
      ...(component.kind === "workflow" ? { workflow_agent: false } : {}),
    };
  return component.kind === "workflow"
    ? describedWorkflow(component, databaseId, listed)
    : { ...described(component, databaseId, listed) };
}

/** A list does not query remote servers: it would fail whenever one of them is unavailable. */
function describedRemote({ id, name, description }: Remote, databaseId: string | undefined) {
  return {
    id,
    name,
    ...(databaseId === undefined ? {} : { db_id: databaseId }),
    ...(description ? { description } : {}),
    is_factory: false,
    is_component: false,
  };
}

/** Which component a factory builds depends on the caller: only the factory's input is known. */
function describedFactory({ id, name, description, input }: Factory, databaseId: string): Record<string, unknown> {
  return {
    id,
    name,
    db_id: databaseId,
    ...(description ? { description } : {}),
    is_factory: true,
    ...(input ? { factory_input_schema: shownShape(input) } : {}),
    is_component: false,
  };
}

function describedWorkflow(workflow: Workflow, databaseId: string, listed: ListedTools): Record<string, unknown> {
  const { id, name, description, input, steps } = workflow;
  return {
    id,
    name,
    db_id: databaseId,
    ...(description ? { description } : {}),
    ...(input ? { input_schema: shownShape(input) } : {}),
    steps: steps.map((step) => describedStep(step, databaseId, listed)),
    workflow_agent: false,
    is_factory: false,
    ...versionFields(workflow),
  };
}

function describedStep(node: StepNode, databaseId: string, listed: ListedTools): Record<string, unknown> {
  const { name, type, description } = node;
  const inner = childrenOf(node)
    .flat()
    .map((child) => describedStep(child, databaseId, listed));
  const executor = node.type === "Step" ? (node.agent ?? node.team) : undefined;
  return {
    name,
    ...(description ? { description } : {}),
    type,
    ...(executor ? { [executor.kind]: described(executor, databaseId, listed) } : {}),
    ...(node.type === "Step" && node.workflow ? { workflow: nested(node.workflow, databaseId, listed) } : {}),
    ...(inner.length > 0 ? { steps: inner } : {}),
  };
}

/** A workflow within a step, with its steps if this server executes it. */
function nested(workflow: Workflow | RemoteWorkflow, databaseId: string, listed: ListedTools): Record<string, unknown> {
  if (isRemote(workflow)) return describedRemote(workflow, databaseId);
  const steps = workflow.steps.map((step) => describedStep(step, databaseId, listed));
  return { ...summariseWorkflow(workflow, databaseId), steps };
}

/** Members of a team have no database of their own, so `databaseId` is undefined for them. The server does not query remote servers for their members. */
function described(
  component: Member,
  databaseId: string | undefined,
  listed: ListedTools,
): z.input<typeof agentSchema> | z.input<typeof teamSchema> {
  if (isRemote(component))
    return { ...describedRemote(component, databaseId), ...(component.role ? { role: component.role } : {}) };
  return component.kind === "team"
    ? describedTeam(component, databaseId, listed)
    : common(component, databaseId, listed);
}

function describedTeam(team: Team, databaseId: string | undefined, listed: ListedTools): z.input<typeof teamSchema> {
  return {
    ...common(team, databaseId, listed),
    mode: team.mode,
    streaming: { stream_member_events: true },
    members: team.members.map((member) => described(member, undefined, listed)),
  };
}

function common(component: Agent | Team, databaseId: string | undefined, listed: ListedTools) {
  const { id, name, description, role, history, instructions } = component;
  const text = typeof instructions === "function" ? undefined : instructions;
  return {
    id,
    name,
    ...(databaseId === undefined ? {} : { db_id: databaseId }),
    ...(description ? { description } : {}),
    ...(role ? { role } : {}),
    is_factory: false,
    model: modelResponseOf(component),
    ...describedTools(component, listed),
    ...(databaseId === undefined ? {} : { sessions: sessionSettings(history?.runs ?? 0) }),
    ...describedKnowledge(component, databaseId),
    ...(description || text ? { system_message: instructed(description, text) } : {}),
    ...versionFields(component),
  };
}

/** The member `knowledge` of a component that has some. A member has no database of its own. */
function describedKnowledge(component: Component, databaseId: string | undefined): Record<string, unknown> {
  const use = knowledgeUseOf(component);
  if (!use) return {};
  const { bases, mode, filters, modelFilters } = use;
  return {
    knowledge: {
      ...(databaseId === undefined ? {} : { db_id: databaseId }),
      knowledge_ids: bases.map(({ id }) => id),
      ...(mode === "always" ? { add_knowledge_to_context: true } : {}),
      ...(Object.keys(filters).length > 0 ? { knowledge_filters: { ...filters } } : {}),
      ...(modelFilters.length > 0 ? { enable_agentic_knowledge_filters: true } : {}),
    },
  };
}

function sessionSettings(runs: number): Record<string, unknown> {
  return {
    session_table: tables[0],
    ...(runs > 0 ? { add_history_to_context: true, num_history_runs: runs } : {}),
  };
}

function instructed(
  description: string | undefined,
  text: string | readonly string[] | undefined,
): Record<string, unknown> {
  return { ...(description ? { description } : {}), ...(text ? { instructions: text } : {}) };
}

/** `name` is the API by which the model is called, for example `openai.responses`. */
function modelResponseOf({ model }: Component): z.input<typeof modelResponse> {
  const { provider: name, id } = modelName(model);
  return { name, model: id, provider: providerName(model) };
}
