/** The loop of agents and teams: derives the next step from the messages and executes it until there is an answer. */
import type { RunContext } from "../../define/context.ts";
import type { AssistantMessage, Message, ToolCall, TurnMetrics } from "../../model/run/message.ts";
import type { RunOutput } from "../../model/run/record.ts";
import { separator, textOfPieces } from "../model-call/answer-parts.ts";
import { type AnswerSchema, answerSchemaOf } from "../model-call/answer-schema.ts";
import { callModel } from "../model-call/call-model.ts";
import type { CallableModel, CallOptions } from "../model-call/model-adapter.ts";
import type { ModelTurn } from "../model-call/model-turn.ts";
import { modelOf } from "../model-call/models.ts";
import { toPrompt } from "../model-call/prompt.ts";
import { toRequestFields, toRequestTokens, toTurnMetrics } from "../model-call/usage.ts";
import { modelSpan } from "../run/run-spans.ts";
import type { Callable } from "../tool-call/callable.ts";
import { toAssistantMessage } from "./assistant-message.ts";
import { callerTools } from "./caller-tools.ts";
import { RunFailure, type RunInbox, RunPaused, type RunScope } from "./contract.ts";
import { systemText } from "./instructions.ts";
import { nextStep, turnsTaken, wasCorrected } from "./next-step.ts";
import { Progress } from "./progress.ts";
import { ToolSet } from "./tool-set.ts";
import { runTools } from "./tools.ts";

/** The differences between the kinds of components. */
export interface LoopPlan {
  /** The tools that the model can call. */
  callables(schema: AnswerSchema | undefined): readonly Callable[];
  /** Text for the model about its role, in addition to the definition's instructions. */
  readonly guidance?: string | undefined;
  /** A first call that the engine makes for the model. */
  opening?(): ToolCall;
  /** Members' runs; delegation appends to it. */
  readonly members?: Readonly<Record<string, unknown>>[];
}

/** The state of one run of the loop. */
interface Work {
  readonly scope: RunScope;
  readonly model: CallableModel;
  readonly progress: Progress;
  readonly context: RunContext;
  readonly schema: AnswerSchema | undefined;
  readonly tools: ToolSet;
  readonly system: string;
  readonly history: readonly Message[];
  readonly options: Omit<CallOptions, "prompt" | "tools">;
}

/** Runs a component until it has an answer, from the start or after its last stored message. */
export async function runTurns(scope: RunScope, plan: LoopPlan): Promise<RunOutput> {
  const model = modelOf(scope.component);
  const progress = new Progress(scope, model, plan.members);
  scope.partialOutput = () => progress.output();
  if (!scope.hasBegun) begin(scope, model, plan);
  const task = await prepare(scope, model, progress, plan);
  try {
    await work(task);
  } catch (error) {
    scope.meter.end();
    // A pause also ends the content of the current stream.
    if (error instanceof RunPaused) scope.emit("RunContentCompleted");
    throw error;
  }
  scope.emit("RunContentCompleted");
  return progress.output();
}

/** Takes turns and makes calls until there is an answer. */
async function work(task: Work): Promise<void> {
  const { scope, progress } = task;
  for (;;) {
    const step = nextStep(scope.messages.map(({ message }) => message));
    // Messages of callers are taken between two steps, never while calls have no results.
    if (step.kind !== "tools" && scope.inbox?.mayHaveMessages && (await takeMessages(scope, scope.inbox))) {
      progress.answer = undefined;
      continue;
    }
    if (step.kind === "turn") await takeTurn(task);
    else if (step.kind === "tools") {
      // The last turn may have reached a limit.
      const allowed = scope.meter.begin("toolCalls", step.calls.length);
      if (allowed) await allowed;
      await runTools({ ...task, callables: task.tools.callablesFor(step.calls) }, step.calls);
    } else if (step.kind === "stop") {
      if (!progress.answer || step.results.length > 1) {
        progress.answer = { content: step.results.map(({ content }) => content).join(separator), contentType: "str" };
      }
      emitAnswer(task, progress.answer);
      return;
    } else if (!task.schema || progress.answer || (await checkStoredAnswer(task, step.message))) return;
  }
}

/** Appends the messages that callers put into the run; returns whether there were any. */
async function takeMessages(scope: RunScope, inbox: RunInbox): Promise<boolean> {
  const found = await inbox.take();
  for (const { id, number, content, mode, userId } of found) {
    scope.appendMessage({ role: "user", content, steering: number });
    scope.emit("RunMessage", { message_id: id, content, mode, ...(userId !== undefined && { sent_by: userId }) });
  }
  return found.length > 0;
}

function begin(scope: RunScope, model: CallableModel, plan: LoopPlan): void {
  const { message, media } = scope.input;
  // A run that continues from another run already contains copies of that run's messages.
  if (scope.messages.length === 0)
    scope.appendMessage({ role: "user", content: message, ...(media?.length && { media }) });
  const own = scope.messages.slice(scope.copiedMessages);
  const isAsked = own.length > 0 || scope.messages.every(({ message: { role } }) => role === "user");
  if (plan.opening && isAsked) scope.appendMessage({ role: "assistant", content: "", toolCalls: [plan.opening()] });
  scope.emit("RunStarted", { model: model.id, model_provider: model.provider });
}

async function prepare(scope: RunScope, model: CallableModel, progress: Progress, plan: LoopPlan): Promise<Work> {
  const { component, context } = scope;
  const schema = answerSchemaOf(scope);
  const own = plan.callables(schema);
  const tools = new ToolSet(scope, [...own, ...callerTools(scope, own)]);
  const { additionalInstructions } = scope.options;
  const guidance = [plan.guidance, additionalInstructions].filter(Boolean).join("\n\n");
  const system = await systemText(component, context, guidance, schema);
  const runs = component.history?.runs ?? 0;
  const history = runs > 0 ? await scope.history(runs) : [];
  const options = {
    ...component.modelSettings,
    ...(schema && { responseFormat: schema.responseFormat }),
  } as unknown as Work["options"];
  return { scope, model, progress, context, schema, tools, system, history, options };
}

/** Makes a model request; its answer, its usage and its cost become durable in one flush. */
async function takeTurn(work: Work): Promise<void> {
  const { scope, model, progress, schema } = work;
  const messages = scope.messages.map(({ message }) => message);
  const maxSteps = scope.component.maxSteps ?? scope.settings.maxSteps;
  const own = messages.slice(scope.copiedMessages);
  if (turnsTaken(own) >= maxSteps) {
    throw new RunFailure(
      "max_steps",
      `No answer after ${maxSteps} model turns, which is the most that ${scope.component.name} may take (maxSteps).`,
    );
  }
  const refreshed = work.tools.refresh();
  if (refreshed) await refreshed;
  const allowed = scope.meter.begin("modelRequests", 1);
  if (allowed) await allowed;
  const names = { model: model.id, model_provider: model.provider };
  scope.spans.begin(modelSpan);
  scope.emit("ModelRequestStarted", names);
  const begun = scope.runtime.clock.monotonic();
  const { definitions: tools } = work.tools;
  // The first request to a model loads the table of prices while the model answers.
  const price = scope.prices.find(model);
  const turn = await callModel({
    scope,
    model,
    options: {
      ...withTrace(work.options, scope),
      ...(tools.length > 0 && { tools: [...tools] }),
      prompt: toPrompt(work.system, work.history, messages),
    },
    showText: !schema,
    continues: !schema && own.some((message) => message.role === "assistant" && message.content !== ""),
    begin: (next) => {
      progress.turn = next;
    },
    interrupt: scope.inbox?.beginTurn(),
  });
  scope.inbox?.endTurn();
  const tokens = toRequestTokens(turn.usage);
  const cost = tokens && (price instanceof Promise ? await price : price)?.(tokens);
  await scope.waitForRoom();
  const firstToken = turn.firstToken === undefined ? undefined : (turn.firstToken - begun) / 1000;
  const metrics = toTurnMetrics(turn.usage, { duration: progress.secondsSince(begun), firstToken }, cost);
  if (turn.isInterrupted) {
    endInterrupted(work, turn, metrics);
    return;
  }
  const message = work.tools.located(toAssistantMessage(turn, metrics, messages, scope));
  const fault = schema && !message.toolCalls ? await readAnswer(work, schema, message) : undefined;
  scope.appendMessage(message);
  scope.emit("ModelRequestCompleted", { ...names, ...toRequestFields(metrics) });
  progress.endTurn(turn);
  scope.runtime.measurements.modelTurn(model, metrics);
  if (fault !== undefined) requestCorrection(scope, fault);
}

/** Ends a turn that a message interrupted: the text so far stays as a message of the model. Calls and reasoning of the turn are dropped. */
function endInterrupted({ scope, model, progress, schema }: Work, turn: ModelTurn, metrics: TurnMetrics): void {
  const content = schema ? "" : textOfPieces(turn.pieces);
  if (content === "") scope.meter.end();
  else scope.appendMessage({ role: "assistant", content, metrics });
  const names = { model: model.id, model_provider: model.provider };
  scope.emit("ModelRequestCompleted", { ...names, ...toRequestFields(metrics), interrupted: true });
  progress.endTurn(turn);
}

/** Adds the trace context to the request's headers. */
function withTrace(options: Work["options"], { spans }: RunScope): Work["options"] {
  const headers = spans.headers(modelSpan);
  return headers ? { ...options, headers: { ...headers } } : options;
}

/** Parses a structured answer and emits it whole; returns the fault of an answer that does not match. */
async function readAnswer(work: Work, schema: AnswerSchema, message: AssistantMessage): Promise<string | undefined> {
  const result = await schema.read(message.content);
  if ("fault" in result) return result.fault;
  work.progress.answer = { content: result.value, contentType: schema.name };
  emitAnswer(work, work.progress.answer);
  return undefined;
}

/** Checks an answer that an earlier attempt of the run stored. */
async function checkStoredAnswer(work: Work, message: AssistantMessage): Promise<boolean> {
  if (!work.schema) return true;
  const fault = await readAnswer(work, work.schema, message);
  if (fault !== undefined) requestCorrection(work.scope, fault);
  return fault === undefined;
}

function requestCorrection(scope: RunScope, fault: string): void {
  if (wasCorrected(scope.messages.map(({ message }) => message))) {
    throw new RunFailure(
      "output_mismatch",
      `The answer does not match the output schema, also after a second try:\n${fault}`,
    );
  }
  scope.appendMessage({
    role: "user",
    content: `Your answer does not match the schema:\n${fault}\nAnswer again, with matching JSON and nothing else.`,
    isCorrection: true,
  });
}

function emitAnswer({ scope, progress }: Work, answer: NonNullable<Progress["answer"]>): void {
  scope.emit("RunContent", {
    content: answer.content,
    workflow_agent: scope.component.kind === "agent" ? false : undefined,
    content_type: answer.contentType,
    reasoning_content: "",
    model_provider_data: progress.turn?.providerData,
  });
}
