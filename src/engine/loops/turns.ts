/** The loop of agents and teams: derives the next step from the messages and executes it until there is an answer. */

import { isShaped } from "../../define/component.ts";
import { versionFieldsOf } from "../../define/configuration/versions.ts";
import { joinCitations } from "../../model/run/citations.ts";
import type { Message, ToolCall, TurnMetrics } from "../../model/run/message.ts";
import type { RunOutput } from "../../model/run/record.ts";
import { suggestFollowups } from "../answer/followups.ts";
import { needsReasoning, withReasoning } from "../answer/reasoning.ts";
import { shapeAnswer } from "../answer/shape.ts";
import { Compaction } from "../context/compaction.ts";
import { extendSummary, readPast, withSummary } from "../context/session-summary.ts";
import { resultTools } from "../context/tool-results.ts";
import { type RunHooks, runHooksOf } from "../hooks/run-hooks.ts";
import { knowledgeSection } from "../knowledge/section.ts";
import { beginSources } from "../knowledge/sources.ts";
import { knowledgeCallables } from "../knowledge/tool.ts";
import { rememberedSections, rememberingTools } from "../memory/remembered.ts";
import { textOfPieces } from "../model-call/answer-parts.ts";
import { type AnswerSchema, answerSchemaOf } from "../model-call/answer-schema.ts";
import { callModels, currentModel } from "../model-call/fallback.ts";
import type { CallableModel } from "../model-call/model-adapter.ts";
import type { ModelTurn } from "../model-call/model-turn.ts";
import { modelOf } from "../model-call/models.ts";
import { type PromptParts, toPrompt } from "../model-call/prompt.ts";
import { toRequestFields, toRequestTokens, toTurnMetrics } from "../model-call/usage.ts";
import { modelSpan } from "../run/run-spans.ts";
import type { Callable } from "../tool-call/callable.ts";
import {
  addCited,
  checkAnswer,
  checkStoredAnswer,
  checkTurn,
  displayOf,
  emitAnswer,
  hasText,
  isChecked,
  isHeld,
  readAnswer,
  requestCorrection,
  showCitations,
  showText,
} from "./answers.ts";
import { answeringModel, toAssistantMessage } from "./assistant-message.ts";
import { callerTools } from "./caller-tools.ts";
import { RunFailure, type RunInbox, RunPaused, type RunScope } from "./contract.ts";
import { systemText } from "./instructions.ts";
import { answerOf, type NextStep, nextStep, turnsTaken } from "./next-step.ts";
import { Progress } from "./progress.ts";
import { ToolSet } from "./tool-set.ts";
import { runTools } from "./tools.ts";
import type { Work } from "./work.ts";

/** The differences between the kinds of components. */
export interface LoopPlan {
  /** The tools that the model can call. */
  callables(schema: AnswerSchema | undefined): readonly Callable[];
  /** Text for the model about its role, in addition to the definition's instructions. */
  readonly guidance?: string | undefined;
  /** A first call that the engine makes for the model. */
  opening?(input: string): ToolCall;
  /** Called when the run begins, and by each attempt that takes it over. */
  begin?(): void;
  /** Called when the model has answered. Returns whether the run goes on: it has then added a message for the model. */
  continues?(): boolean;
  /** Members' runs; delegation appends to it. */
  readonly members?: Readonly<Record<string, unknown>>[];
}

/** Runs a component until it has an answer, from the start or after its last stored message. */
export async function runTurns(scope: RunScope, plan: LoopPlan): Promise<RunOutput> {
  const model = modelOf(scope.component);
  const progress = new Progress(scope, model, plan.members);
  const hooks = runHooksOf(scope);
  scope.partialOutput = () => progress.output();
  if (!scope.hasBegun) begin(scope, model);
  try {
    if (hooks) await hooks.beforeRun();
    addOpening(scope, plan, hooks);
    plan.begin?.();
    const prepared = await prepare({ scope, model, progress, hooks }, plan);
    const task = needsReasoning(scope) ? await withReasoning(prepared) : prepared;
    await work(task, plan);
    if (isShaped(scope.component)) await shapeAnswer(task);
    if (hooks) await hooks.afterRun(progress.output());
    if (task.past && isRoot(scope)) await extendSummary(scope, task.past);
    const { followups } = scope.component;
    if (followups && isRoot(scope)) {
      const input = hooks?.input ?? scope.input.message;
      progress.followups = await suggestFollowups(scope, input, progress.output().content);
    }
  } catch (error) {
    scope.meter.end();
    // A pause also ends the content of the current stream.
    if (error instanceof RunPaused) scope.emit("RunContentCompleted");
    throw error;
  }
  scope.emit("RunContentCompleted");
  return progress.output();
}

/** Whether a caller started the run. */
function isRoot({ context }: RunScope): boolean {
  return context.runId === context.rootRunId;
}

/** Takes turns and makes calls until there is an answer. */
async function work(task: Work, plan: LoopPlan): Promise<void> {
  const { scope, progress } = task;
  for (;;) {
    const step = nextStep(scope.messages.map(({ message }) => message));
    // Messages of callers are taken between two steps, never while calls have no results.
    if (step.kind !== "tools" && scope.inbox?.mayHaveMessages && (await takeMessages(task, scope.inbox, step))) {
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
      progress.answer = answerOf(step.results);
      if (task.hooks) await checkAnswer(task, task.hooks);
      emitAnswer(task, progress.answer);
      return;
    } else if (!task.schema || progress.answer || (await checkStoredAnswer(task, step.message))) {
      if (!plan.continues?.()) return;
      progress.answer = undefined;
    }
  }
}

/** Appends the messages that callers put into the run; returns whether there were any. */
async function takeMessages({ scope, hooks }: Work, inbox: RunInbox, step: NextStep): Promise<boolean> {
  const found = await inbox.take();
  const { shownAnswer: shown } = scope;
  if (found.length > 0) scope.shownAnswer = undefined;
  // Clients have received the result of the tools as the answer, so the answer to the message continues it.
  if (found.length > 0 && step.kind === "stop" && typeof shown?.content === "string")
    scope.appendMessage({ role: "assistant", content: shown.content, isToolAnswer: true });
  for (const { id, number, content: given, mode, userId } of found) {
    const content = hooks ? await hooks.checkMessage(given, number) : given;
    scope.appendMessage({ role: "user", content, steering: number });
    scope.emit("RunMessage", { message_id: id, content, mode, ...(userId !== undefined && { sent_by: userId }) });
  }
  return found.length > 0;
}

function begin(scope: RunScope, model: CallableModel): void {
  const { message, media } = scope.input;
  // A run that continues from another run already contains copies of that run's messages.
  if (scope.messages.length === 0)
    scope.appendMessage({ role: "user", content: message, ...(media?.length && { media }) });
  scope.emit("RunStarted", { ...namesOf(model), ...versionFieldsOf(scope.component) });
}

/** Appends the call that the engine makes for the model, unless the run contains a turn. */
function addOpening(scope: RunScope, { opening }: LoopPlan, hooks: RunHooks | undefined): void {
  if (!opening) return;
  const all = scope.messages.map(({ message: { role } }) => role);
  const own = all.slice(scope.copiedMessages);
  const isAsked = own.length > 0 || all.every((role) => role === "user");
  if (!isAsked || own.includes("assistant")) return;
  scope.appendMessage({ role: "assistant", content: "", toolCalls: [opening(hooks?.input ?? scope.input.message)] });
}

async function prepare(parts: Pick<Work, "scope" | "model" | "progress" | "hooks">, plan: LoopPlan): Promise<Work> {
  const { scope } = parts;
  const { component, context } = scope;
  const finalSchema = answerSchemaOf(scope);
  const schema = isShaped(component) ? undefined : finalSchema;
  const offered = [...rememberingTools(scope), ...knowledgeCallables(scope), ...resultTools(scope)];
  const own = [...plan.callables(finalSchema), ...offered];
  const tools = new ToolSet(scope, [...own, ...callerTools(scope, own)]);
  const { additionalInstructions } = scope.options;
  const guidance = [plan.guidance, additionalInstructions].filter(Boolean).join("\n\n");
  const remembered = component.memory || component.learning ? await rememberedSections(scope) : undefined;
  const past = component.history ? await readPast(scope) : undefined;
  const history = past?.runs.flatMap(({ messages }) => messages) ?? [];
  const documents = component.knowledge && (await withKnowledge(parts, history));
  const facts = [remembered, documents].filter(Boolean).join("\n\n");
  const system = withSummary(await systemText(component, context, guidance, schema, facts), past);
  const compaction = new Compaction(scope, system);
  const options = {
    ...component.modelSettings,
    ...(schema && { responseFormat: schema.responseFormat }),
  } as unknown as Work["options"];
  return { ...parts, context, schema, finalSchema, tools, system, past, history, compaction, options };
}

/** Prepares the use of knowledge; returns the documents of the prompt, if the component searches before its first request. */
async function withKnowledge({ scope, hooks }: Pick<Work, "scope" | "hooks">, history: readonly Message[]) {
  beginSources(scope, history);
  return await knowledgeSection(scope, hooks?.input ?? scope.input.message);
}

/** Makes a model request; its answer, its usage and its cost become durable in one flush. */
async function takeTurn(work: Work): Promise<void> {
  const { scope, progress, schema, hooks } = work;
  const first = currentModel(scope);
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
  const { definitions: tools } = work.tools;
  const asked = hooks ? hooks.withInput(messages) : messages;
  const fitted = work.compaction.fit({ history: work.history, messages: asked }, tools, first);
  let parts: PromptParts = { system: work.system, ...(fitted instanceof Promise ? await fitted : fitted) };
  if (hooks) parts = await hooks.beforeModel(parts, { model: first.id, tools: tools.map(({ name }) => name) });
  const allowed = scope.meter.begin("modelRequests", 1);
  if (allowed) await allowed;
  scope.spans.begin(modelSpan);
  scope.emit("ModelRequestStarted", namesOf(first));
  const begun = scope.runtime.clock.monotonic();
  // The first request to a model loads the table of prices while the model answers.
  const price = scope.prices.find(first);
  const turn = await callModels({
    scope,
    options: {
      ...work.options,
      ...(tools.length > 0 && { tools: [...tools] }),
      prompt: toPrompt(parts),
    },
    ...displayOf(work),
    continues: !schema && hasText(own),
    begin: (next) => {
      // The record of a run that ends early does not contain unchecked text.
      if (!isChecked(work) && !scope.component.outputModel) progress.turn = next;
    },
    interrupt: scope.inbox?.beginTurn(),
  });
  scope.inbox?.endTurn();
  const tokens = toRequestTokens(turn.usage);
  const { model } = turn;
  const itsPrice = model === first ? price : scope.prices.find(model);
  const cost = tokens && (itsPrice instanceof Promise ? await itsPrice : itsPrice)?.(tokens);
  await scope.waitForRoom();
  const firstToken = turn.firstToken === undefined ? undefined : (turn.firstToken - begun) / 1000;
  const metrics = toTurnMetrics(
    turn.usage,
    { duration: progress.secondsSince(begun), firstToken, isCached: turn.isCached },
    cost,
  );
  addCited(work, turn, !isShaped(scope.component));
  if (turn.isInterrupted) {
    endInterrupted(work, turn, metrics);
    return;
  }
  if (hooks) await checkTurn(work, hooks, turn, metrics);
  const message = work.tools.located(toAssistantMessage(turn, metrics, messages, scope));
  const fault = schema && !message.toolCalls ? await readAnswer(work, schema, message) : undefined;
  if (isHeld(work) && !schema) showText(work, message.content, hasText(own), isShaped(scope.component));
  if (isChecked(work) && message.citations) showCitations(work, message.citations);
  scope.appendMessage(message);
  scope.emit("ModelRequestCompleted", { ...namesOf(model), ...toRequestFields(metrics) });
  progress.endTurn(turn);
  scope.runtime.measurements.modelTurn(model, metrics);
  if (fault !== undefined) requestCorrection(scope, fault);
}

/** Ends a turn that a message interrupted: the text so far stays as a message of the model. Calls and reasoning of the turn are dropped. */
function endInterrupted(work: Work, turn: ModelTurn, metrics: TurnMetrics): void {
  const { scope, progress, schema } = work;
  const content = schema ? "" : isChecked(work) ? (turn.shownText ?? "") : textOfPieces(turn.pieces);
  if (content === "") scope.meter.end();
  else {
    const citations = isChecked(work) ? undefined : joinCitations(turn.citations);
    scope.appendMessage({
      ...{ role: "assistant", content, metrics, ...answeringModel(turn, scope) },
      ...(citations && { citations }),
    });
  }
  scope.emit("ModelRequestCompleted", { ...namesOf(turn.model), ...toRequestFields(metrics), interrupted: true });
  progress.endTurn(turn);
}

function namesOf({ id, provider }: CallableModel): { readonly model: string; readonly model_provider: string } {
  return { model: id, model_provider: provider };
}
