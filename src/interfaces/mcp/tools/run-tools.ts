/** The tools that start, continue and cancel runs. */
import { z } from "zod";
import { TroupeError } from "../../../errors.ts";
import { listOf } from "../../../http/input/bounded-lists.ts";
import { continueBody } from "../../../http/input/continue-form.ts";
import { identifier } from "../../../http/input/identifiers.ts";
import { fingerprintOf } from "../../../http/transport/fingerprint.ts";
import { type Kind, kinds } from "../../../http/transport/kinds.ts";
import type { ComponentKind } from "../../../model/run/run.ts";
import { RunNotPaused } from "../../../model/run/run-not-paused.ts";
import type { Answers } from "../../../runs/continue.ts";
import type { RunName } from "../../../runs/find.ts";
import { isPermitted, type RunAction } from "../../../runs/permissions.ts";
import { failedResult } from "../result.ts";
import { type BegunRun, type McpTool, type ToolContext, tool } from "./tool.ts";

const optionalId = identifier.nullable().default(null);

const userId = optionalId.describe("User of the run. Ignored for callers with a credential of their own.");
const sessionId = optionalId.describe("Session of the conversation. Default: a new session.");

/** A start of a component, as a tool requests it. */
export interface ToolStart {
  readonly kind: ComponentKind;
  readonly componentId: string;
  readonly message: string;
  readonly sessionId: string | null;
  readonly userId?: string | null;
}

/** Starts a run. @throws TroupeError `forbidden`, and those of `Runs.start` */
export async function startRun(context: ToolContext, start: ToolStart): Promise<BegunRun> {
  const { services, caller, token, trace, idempotencyKey: key, hasProgress, isTask, calledBy } = context;
  const { runs } = services;
  const component = { kind: start.kind, componentId: start.componentId };
  runs.authorize(caller, "start", component);
  const run = await runs.start(caller, {
    ...component,
    message: start.message,
    sessionId: start.sessionId ?? undefined,
    userId: start.userId ?? undefined,
    options: { stream: hasProgress && !isTask, background: isTask, ...(calledBy && !isTask && { mcp: calledBy }) },
    background: isTask,
    ...{ token, trace },
    idempotency: key === undefined ? undefined : { key, fingerprint: fingerprintOf(["mcp", start]) },
  });
  return { name: { ...component, runId: run.runId }, run, cursor: -1, isRepeated: run.isRepeated };
}

const descriptions: Readonly<Record<ComponentKind, string>> = {
  agent: "Runs an agent with a message and returns its answer.",
  team: "Runs a team of agents with a message and returns its answer.",
  workflow: "Runs a workflow with a message, or with its input as JSON text, and returns its answer.",
};

/** `run_agent`, `run_team` and `run_workflow`. */
export function startTool({ name: kind, idParam, title }: Kind): McpTool {
  return tool({
    name: `run_${kind}`,
    title: `Run ${title}`,
    description: `${descriptions[kind]} Ids are in the result of get_agentos_config. If the result has the status PAUSED, answer its requirements with continue_run.`,
    annotations: { openWorldHint: true, readOnlyHint: false },
    input: z.strictObject({ [idParam]: identifier, message: z.string(), user_id: userId, session_id: sessionId }),
    isLong: true,
    isPermitted: ({ services: { runs }, caller }) => runs.components(caller, "start", kind).length > 0,
    call: async (context, input) => {
      const given = input as { message: string; user_id: string | null; session_id: string | null } & Record<
        string,
        string
      >;
      const componentId = given[idParam] ?? "";
      const start = { message: given.message, sessionId: given.session_id, userId: given.user_id };
      return { begun: await startRun(context, { kind, componentId, ...start }) };
    },
  });
}

/** The run that a tool names: with a component, or by its id alone. */
interface NamedRun {
  readonly run_id: string;
  readonly session_id: string | null;
  readonly agent_id: string | null;
  readonly team_id: string | null;
  readonly workflow_id: string | null;
}

const namedRun = {
  run_id: identifier,
  session_id: optionalId,
  agent_id: optionalId,
  team_id: optionalId,
  workflow_id: optionalId,
};

/**
 * The name of the run, for which the caller has the permission. A caller without the permission gets the error of an unknown run, unless it names the
 * component: then the error depends on the component alone.
 *
 * @throws TroupeError `badRequest`, `forbidden`, `notFound`
 */
export async function nameRun(
  { services: { runs }, caller }: ToolContext,
  given: NamedRun,
  action: RunAction,
): Promise<RunName> {
  const { run_id: runId } = given;
  const session = given.session_id ?? undefined;
  const components = Object.values(kinds).flatMap(({ name: kind, idParam }) => {
    const componentId = given[idParam];
    return componentId === null ? [] : [{ kind, componentId }];
  });
  if (components.length > 1) throw new TroupeError("badRequest", "Name one of agent_id, team_id and workflow_id.");
  const [component] = components;
  if (component) {
    runs.authorize(caller, action, component);
    return { ...component, runId, sessionId: session };
  }
  const located = await runs.locate(caller, runId);
  if (!located || !isPermitted(() => runs.authorize(caller, action, located))) {
    throw new TroupeError("notFound", "Run not found");
  }
  return { kind: located.kind, componentId: located.componentId, runId, sessionId: session };
}

/** Whether the caller may perform an action on the runs of some component. */
function mayDo(action: RunAction): McpTool["isPermitted"] {
  return ({ services: { runs }, caller }) =>
    Object.values(kinds).some(({ name }) => runs.components(caller, action, name).length > 0);
}

/** `continue_run`. */
export const continueTool: McpTool = tool({
  name: "continue_run",
  title: "Continue Run",
  description:
    "Continues a paused run. Copy each of its requirements and add the answer: `confirmation` (true or false) to confirm a tool call, `external_execution_result` for a call that you execute, values in `user_input_schema`; for a workflow `confirmed`, `user_input` or `selected_choices`.",
  annotations: { destructiveHint: false, readOnlyHint: false },
  input: z.strictObject({
    ...namedRun,
    requirements: listOf(z.record(z.string(), z.unknown())).nullable().default(null),
    user_id: userId,
  }),
  isLong: true,
  isPermitted: mayDo("continue"),
  call: async (context, { requirements, user_id, ...given }) => {
    const name = await nameRun(context, given, "continue");
    const answers = toAnswers(name.kind, requirements ?? []);
    return { begun: await continueRun(context, name, answers, user_id ?? undefined) };
  },
});

/** Continues a paused run. @throws TroupeError `conflict` for a run that is not paused, and those of `Runs.continue` */
export async function continueRun(
  { services, caller, token, idempotencyKey: key }: ToolContext,
  name: RunName,
  answers: Answers,
  user: string | undefined,
): Promise<BegunRun> {
  const idempotency = key === undefined ? undefined : { key, fingerprint: fingerprintOf(["mcp", name, answers]) };
  try {
    const continued = await services.runs.continue(caller, name, { answers, userId: user, token, idempotency });
    return { name, ...continued };
  } catch (error) {
    if (!(error instanceof RunNotPaused)) throw error;
    throw new TroupeError("conflict", `The run is not paused: its status is ${error.runStatus}.`);
  }
}

/** The answers in requirements, in the form of the run's records. @throws TroupeError `badRequest` */
export function toAnswers(kind: ComponentKind, requirements: readonly Readonly<Record<string, unknown>>[]): Answers {
  const read = (form: ComponentKind, field: string, list: readonly unknown[]): Answers => {
    const { stepAnswers, callAnswers } = continueBody(form).reader.read({ [field]: JSON.stringify(list) }, "body");
    return { stepAnswers, callAnswers, field: "requirements" };
  };
  if (kind === "workflow") return read("workflow", "step_requirements", requirements);
  // A tool call can stand for its requirement.
  const calls = requirements.filter((one) => typeof one.tool_call_id === "string");
  const others = requirements.filter((one) => typeof one.tool_call_id !== "string");
  const ofCalls = read("agent", "tools", calls);
  const ofOthers = read("team", "requirements", others);
  return { ...ofOthers, callAnswers: [...ofCalls.callAnswers, ...ofOthers.callAnswers] };
}

/** `cancel_run`. */
export const cancelTool: McpTool = tool({
  name: "cancel_run",
  title: "Cancel Run",
  description: "Cancels a run. A run that is over stays as it is.",
  annotations: { destructiveHint: true, idempotentHint: true },
  input: z.strictObject(namedRun),
  outputSchema: { type: "object", properties: { result: { type: "string" } }, required: ["result"] },
  isPermitted: mayDo("cancel"),
  call: async (context, given) => {
    const name = await nameRun(context, given, "cancel");
    await context.services.runs.cancel(context.caller, name);
    const text = `The cancellation of the run ${name.runId} is requested.`;
    return { result: { ...failedResult(text), structuredContent: { result: text }, isError: false } };
  },
});
