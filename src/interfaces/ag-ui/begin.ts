/** Begins the segment of the log that a request shows: it starts a run, or continues a paused one. */
import { TroupeError } from "../../errors.ts";
import { fingerprintOf } from "../../http/transport/fingerprint.ts";
import { checkRunAction } from "../../http/transport/guard.ts";
import type { RouteServices } from "../../http/transport/services.ts";
import type { Principal } from "../../model/principal.ts";
import { callsIn } from "../../model/run/pause.ts";
import type { CallerTool, RunOptions } from "../../model/run/record.ts";
import { type ComponentKind, wireRunStatuses } from "../../model/run/run.ts";
import { outputOf } from "../../model/run/stored-run.ts";
import type { TraceContext } from "../../model/trace/propagation.ts";
import type { RunRef, RunRow } from "../../runs/find.ts";
import type { AgUiInput } from "./input.ts";
import { type Answer, abandons, answeredRun, areAnswered, toAnswers, toResultAnswers } from "./interrupts.ts";

/** The component that a request addresses, and its caller. */
export interface Endpoint {
  readonly services: RouteServices;
  readonly caller: Principal;
  readonly kind: ComponentKind;
  readonly componentId: string;
}

/** Parts of the request other than its body. */
export interface Circumstances {
  readonly token: string | undefined;
  readonly trace: TraceContext | undefined;
  /** Whether the client resumes the stream of an earlier request: then nothing begins. */
  readonly isResumed: boolean;
}

/** The segment of the log that a request shows. */
export interface BegunSegment {
  readonly run: RunRef;
  /** Index of the last event before it. */
  readonly from: number;
  readonly isRepeated: boolean;
}

/**
 * Begins a segment; a request that repeats an earlier one gets the segment of the earlier one.
 *
 * @throws TroupeError `forbidden`, those of `runs.start` and `runs.continue`, `badRequest` (no message, no answers of one run), `conflict` (no run waits for the results)
 */
export async function beginSegment(
  endpoint: Endpoint,
  input: AgUiInput,
  circumstances: Circumstances,
): Promise<BegunSegment> {
  const common = {
    userId: userIn(input),
    token: circumstances.token,
    idempotency: idempotencyOf(endpoint, input),
    onlyIfRepeated: circumstances.isResumed,
  };
  const { kind, componentId, services, caller } = endpoint;
  const isStart = input.answers.length + input.results.length === 0;
  checkRunAction(services.runs, caller, isStart ? "start" : "continue", { kind, componentId });
  if (input.answers.length > 0) return await resume(endpoint, input, common);
  if (input.results.length > 0) return await returnResults(endpoint, input, common);
  const { message } = input;
  if (!message) throw new TroupeError("badRequest", "messages must contain a message with the role user.");
  const run = await services.runs.start(caller, {
    ...common,
    kind,
    componentId,
    message: message.text,
    media: message.media,
    sessionId: input.threadId,
    options: optionsOf(input),
    trace: circumstances.trace,
  });
  return { run, from: -1, isRepeated: run.isRepeated };
}

type Common = Pick<
  Parameters<RouteServices["runs"]["continue"]>[2],
  "userId" | "token" | "idempotency" | "onlyIfRepeated"
>;

/** Answers interrupts. */
async function resume(endpoint: Endpoint, { threadId, answers }: AgUiInput, common: Common): Promise<BegunSegment> {
  const { services, caller, kind, componentId } = endpoint;
  const { runs } = services;
  const name = { kind, componentId, runId: answeredRun(answers), sessionId: threadId };
  const abandoned = await abandon(endpoint, await runs.load(caller, name), answers, common);
  if (abandoned) return abandoned;
  const continued = await runs.continue(caller, name, { ...common, answers: (open) => toAnswers(open, answers) });
  return { run: continued.run, from: continued.cursor, isRepeated: continued.isRepeated };
}

/**
 * Cancels the run if the answers abandon a question that cannot be declined. Undefined if they do not. The segment begins after the pause, which the store has,
 * so a repeated request finds it although the run no longer waits.
 */
async function abandon(
  { services: { runs }, caller }: Endpoint,
  row: RunRow,
  answers: readonly Answer[],
  { onlyIfRepeated }: Common,
): Promise<BegunSegment | undefined> {
  const { pause, answered } = outputOf(row);
  const wasAbandoned =
    row.status === "CANCELLED" &&
    !areAnswered(answered, answers) &&
    answers.some(({ status }) => status === "cancelled");
  if (!wasAbandoned && !(pause && abandons(pause, answers))) return undefined;
  const isRepeated = wasAbandoned || (await runs.head(row))?.cancelRequested === true;
  const from = (await runs.changes(row)).pauses.at(-1)?.index;
  if (from === undefined || (onlyIfRepeated && !isRepeated)) return undefined;
  if (isRepeated) return { run: row, from, isRepeated };
  checkRunAction(runs, caller, "cancel", row);
  return { run: await runs.cancel(caller, row), from, isRepeated };
}

/** Maximum number of runs of the conversation, counted from the last, that are searched for a waiting tool call. */
const maxSearched = 20;

/** Sends the results of tools that the client's application executed to the run that waits for them. */
async function returnResults(
  { services: { runs }, caller, kind, componentId }: Endpoint,
  { threadId, results }: AgUiInput,
  common: Common,
): Promise<BegunSegment> {
  const ids = new Set(results.map(({ toolCallId }) => toolCallId));
  const session = await runs.sessions.find(caller, { sessionId: threadId, userId: common.userId });
  let runId: string | undefined;
  if (session) {
    const last = { limit: maxSearched, descending: true, statuses: wireRunStatuses };
    await runs.sessions.runs(session, last, ({ run }) => {
      const { pause, answered } = outputOf(run);
      const calls = [...callsIn(pause ?? {}), ...callsIn(answered ?? {})];
      const isIts = calls.some(({ tool_execution }) => ids.has(tool_execution.tool_call_id));
      if (isIts && run.parentKey === null && run.kind === kind && run.componentId === componentId) runId ??= run.runId;
      return 0;
    });
  }
  if (runId === undefined)
    throw new TroupeError("conflict", "No run of this thread waits for the results of these tools.");
  const waiting = { kind, componentId, runId, sessionId: threadId };
  const answers = toResultAnswers(results);
  const { run, cursor, isRepeated } = await runs.continue(caller, waiting, { ...common, answers });
  return { run, from: cursor, isRepeated };
}

/** The user that the application names; ignored for callers with a credential. */
function userIn({ properties }: AgUiInput): string | undefined {
  const { user_id: userId } = properties;
  return typeof userId === "string" && userId !== "" ? userId : undefined;
}

/** The client's ids name the request. Its copy of the history and of the state does not count: both change while it receives the stream. */
function idempotencyOf({ kind, componentId }: Endpoint, input: AgUiInput): { key: string; fingerprint: string } {
  const { threadId, runId, message, results, answers } = input;
  const component = [kind, componentId];
  const isStart = results.length + answers.length === 0;
  return {
    key: `agui:${fingerprintOf([threadId, runId])}`,
    fingerprint: fingerprintOf([component, isStart ? message : null, results, answers]),
  };
}

function optionsOf({ state, tools, context, properties }: AgUiInput): RunOptions {
  const { user_id: _, ...forwarded } = properties;
  return {
    stream: true,
    background: false,
    reportsState: true,
    ...(tools.length > 0 && { callerTools: tools.map(toCallerTool) }),
    ...(Object.keys(state).length > 0 && { sessionState: { ...state } }),
    ...(context.length > 0 && { additionalInstructions: contextText(context) }),
    ...(Object.keys(forwarded).length > 0 && { metadata: { forwarded_props: forwarded } }),
  };
}

function toCallerTool({ name, description, parameters }: AgUiInput["tools"][number]): CallerTool {
  return { name, description, inputSchema: { type: "object", properties: {}, ...parameters } };
}

function contextText(context: AgUiInput["context"]): string {
  const entries = context.map(({ description, value }) => `- ${description}: ${value}`);
  return ["Context from the user's application:", ...entries].join("\n");
}
