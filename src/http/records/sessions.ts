/** Sessions in their wire form: times are ISO texts. */
import { z } from "zod";
import { isFactory } from "../../define/factory.ts";
import { modelName } from "../../define/model-name.ts";
import type { Registry } from "../../define/registry.ts";
import { isRemote } from "../../define/remote.ts";
import { providerName } from "../../engine/model-call/models.ts";
import type { ModelUsage } from "../../model/run/message.ts";
import { addCosts } from "../../model/usage/cost.ts";
import type { ListedSession, SessionRow } from "../../runs/sessions.ts";
import type { MessageRow } from "../../store/contract/store.ts";
import { named } from "../input/named-schemas.ts";
import { rawJson } from "../transport/json-pieces.ts";
import { toWireMessage } from "./messages.ts";
import { pageInfo } from "./pages.ts";
import { present } from "./run.ts";
import { isoSeconds } from "./times.ts";

const text = z.string().nullish();
const object = z.record(z.string(), z.unknown()).nullish();
const time = z.iso.datetime().nullish();
const times = { created_at: time, updated_at: time };
const history = z.array(z.record(z.string(), z.unknown())).nullish();
const shared = {
  session_id: z.string(),
  session_name: z.string(),
  user_id: text,
  session_state: object,
  metadata: object,
};

const agentDetail = named(
  "AgentSessionDetailSchema",
  z.object({
    ...{
      ...shared,
      agent_session_id: z.string(),
      session_summary: object,
      agent_id: text,
      total_tokens: z.int().nullish(),
    },
    ...{ agent_data: object, metrics: object, chat_history: history, ...times },
  }),
);
const teamDetail = named(
  "TeamSessionDetailSchema",
  z.object({
    ...{ ...shared, session_summary: object, team_id: text, total_tokens: z.int().nullish() },
    ...{ team_data: object, metrics: object, chat_history: history, ...times },
  }),
);
const workflowDetail = named(
  "WorkflowSessionDetailSchema",
  z.object({
    ...shared,
    workflow_id: text,
    workflow_name: text,
    session_data: object,
    workflow_data: object,
    ...times,
  }),
);

/** The schema of a session of any kind. */
export const sessionDetail: z.ZodType = z.union([agentDetail, teamDetail, workflowDetail]);

const summary = named(
  "SessionSchema",
  z.object({
    ...{ ...shared, session_type: text, agent_id: text, team_id: text, workflow_id: text },
    ...{ session_summary: object, metrics: object, total_tokens: z.int().nullish(), ...times },
  }),
);

/** A page of sessions. */
export const sessionPage: z.ZodType = named(
  "PaginatedResponse_SessionSchema_",
  z.object({ data: z.array(summary), meta: pageInfo }),
);

/** An element of `GET /sessions`. */
export function toSummary(session: ListedSession): Record<string, unknown> {
  const { metrics, tokens } = usageOf(session);
  return present({
    ...common(session),
    // The stored JSON texts are sent unchanged.
    ...rawMembers(session),
    session_type: session.kind,
    metrics,
    total_tokens: tokens,
  });
}

/**
 * One session, with its null members. `messages` are the messages of its runs, oldest first; tool results are not part of the chat history. Bytes of
 * media are omitted.
 */
export function toSessionDetail(
  session: SessionRow,
  messages: readonly MessageRow[],
  registry: Registry,
): Record<string, unknown> {
  const { metrics, tokens } = usageOf(session);
  const data = componentData(session, registry);
  if (session.kind === "workflow") {
    const component = registry.find("workflow", session.componentId);
    return {
      ...common(session),
      ...parsedMembers(session),
      workflow_name: component?.name ?? null,
      session_data: { session_state: parsed(session.state), session_metrics: metrics },
      workflow_data: data,
    };
  }
  return {
    ...(session.kind === "agent" ? { agent_session_id: session.sessionId } : {}),
    ...common(session),
    ...parsedMembers(session),
    session_summary: parsed(session.summary),
    total_tokens: tokens,
    [`${session.kind}_data`]: data,
    metrics,
    chat_history: messages.map((message) => toWireMessage(message, false)).filter(({ role }) => role !== "tool"),
  };
}

function rawMembers({ state, metadata, summary }: ListedSession): Record<string, unknown> {
  const raw = (json: string | null) => json && rawJson(json);
  return { session_state: raw(state), metadata: raw(metadata), session_summary: raw(summary) };
}

function parsedMembers({ state, metadata }: SessionRow): Record<string, unknown> {
  return { session_state: parsed(state), metadata: parsed(metadata) };
}

function common(session: ListedSession): Record<string, unknown> {
  return {
    session_id: session.sessionId,
    session_name: session.name ?? session.title ?? "",
    user_id: session.userId,
    [`${session.kind}_id`]: session.componentId === "" ? null : session.componentId,
    created_at: isoSeconds(session.createdAt),
    updated_at: isoSeconds(session.updatedAt),
  };
}

/** The description of the session's component, if it is hosted here. */
function componentData({ kind, componentId }: SessionRow, registry: Registry): Record<string, unknown> | null {
  const component = registry.find(kind, componentId);
  if (!component || isFactory(component) || isRemote(component)) return null;
  if (component.kind === "workflow") {
    const steps = component.steps.map(({ name, description, type }) => ({
      name,
      description: description ?? null,
      type,
    }));
    return { workflow_id: component.id, name: component.name, steps };
  }
  const { provider: name, id } = modelName(component.model);
  return {
    name: component.name,
    [`${kind}_id`]: component.id,
    model: { id, name, provider: providerName(component.model) },
  };
}

function usageOf({ usage }: ListedSession): { metrics: Record<string, unknown>; tokens: number | null } {
  const models = usage === null ? [] : (JSON.parse(usage) as ModelUsage[]);
  if (models.length === 0) return { metrics: {}, tokens: null };
  const sum = (of: "input_tokens" | "output_tokens" | "total_tokens"): number =>
    models.reduce((total, model) => total + model[of], 0);
  const total_tokens = sum("total_tokens");
  const cost = models.map((model) => model.cost).reduce(addCosts, undefined);
  const metrics = {
    ...{ input_tokens: sum("input_tokens"), output_tokens: sum("output_tokens"), total_tokens },
    ...(cost !== undefined && { cost }),
  };
  return { metrics: { ...metrics, details: { model: models } }, tokens: total_tokens };
}

function parsed(json: string | null): unknown {
  return json === null ? null : JSON.parse(json);
}
