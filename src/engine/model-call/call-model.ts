/** One model turn: calls the model, reads its stream, emits events, and retries while no part of the answer has been shown. */
import { abortable } from "../../model/abortable.ts";
import type { MeasuredOutcome } from "../../model/measurements.ts";
import type { SentenceStream } from "../hooks/sentence-stream.ts";
import type { RunScope } from "../loops/contract.ts";
import { type Block, separator } from "./answer-parts.ts";
import type { CallableModel, CallOptions, StreamPart } from "./model-adapter.ts";
import { AnswerCutOff, delayBeforeRetry, toFailure } from "./model-errors.ts";
import { blockFor, emptyTurn, ModelError, type ModelTurn, refuseEmpty, takePart, toCitations } from "./model-turn.ts";
import { cachedAnswer, replayed, storeAnswer } from "./response-cache.ts";

/**
 * The parts of a turn that clients receive while it arrives. `answer`: text and reasoning. `reasoning`: only reasoning, because a structured answer is
 * emitted when it is complete. `intermediate`: reasoning, and text as content that is not the answer. `thoughts`: both as reasoning of the run. `nothing`:
 * no part.
 */
export type TurnDisplay = "answer" | "reasoning" | "intermediate" | "thoughts" | "nothing";

/** A turn to execute. */
export interface TurnRequest {
  readonly scope: RunScope;
  readonly model: CallableModel;
  readonly options: CallOptions;
  readonly show: TurnDisplay;
  /** Creates the stream that redacts the text of one attempt while it arrives. Its reasoning is not shown. */
  readonly sentences?: (() => SentenceStream | undefined) | undefined;
  /** Whether the run has emitted text before, so that a new paragraph begins. */
  readonly continues: boolean;
  /** Called before each attempt, so that code that ends the run early has the partial turn. */
  readonly begin: (turn: ModelTurn) => void;
  /** Aborts when the turn must end with what it has. Undefined: nothing interrupts it. */
  readonly interrupt: AbortSignal | undefined;
}

/**
 * Executes the turn.
 * @throws RunFailure when the model fails for good; RunStopped when the run is stopped
 */
export async function callModel(request: TurnRequest): Promise<ModelTurn> {
  const { scope, model, interrupt } = request;
  const signal = interrupt ? AbortSignal.any([scope.signal, interrupt]) : scope.signal;
  const maxAttempts = scope.component.maxModelAttempts ?? scope.settings.maxModelAttempts;
  for (let attempt = 1; ; attempt++) {
    const turn = emptyTurn(model);
    request.begin(turn);
    const begun = scope.runtime.clock.monotonic();
    try {
      await readTurn(request, turn, signal);
      if (!turn.isCached) measure(request, turn, begun, "ok");
      refuseEmpty(turn);
      if (turn.recorded) await storeAnswer(scope, turn.recorded.digest, turn.recorded.parts);
      return turn;
    } catch (failed) {
      if (failed instanceof ModelError) measure(request, turn, begun, signal.aborted ? "stopped" : "error");
      else if (signal.aborted) measure(request, turn, begun, "stopped");
      if (scope.signal.aborted) throw scope.signal.reason;
      if (interrupt?.aborted) return Object.assign(turn, { isInterrupted: true as const });
      if (!(failed instanceof ModelError)) throw failed;
      const { error } = failed;
      const delay = turn.shown || attempt >= maxAttempts ? undefined : delayBeforeRetry(error, attempt, scope.runtime);
      if (delay === undefined) throw toFailure(error, model, attempt, turn.shown);
      scope.runtime.measurements.modelRetry(model);
      scope.runtime.log.warn(
        {
          runId: scope.context.runId,
          model: model.id,
          tried: attempt,
          delay,
          error: toFailure(error, model, 1, false).message,
        },
        "A model call failed and is tried again.",
      );
      await scope.runtime.clock.sleep(delay, signal);
      scope.signal.throwIfAborted();
      if (interrupt?.aborted) return Object.assign(turn, { isInterrupted: true as const });
    }
  }
}

/** Records one request to the model. `begun` is a monotonic time in milliseconds. */
function measure({ scope, model }: TurnRequest, turn: ModelTurn, begun: number, outcome: MeasuredOutcome): void {
  const { clock, measurements } = scope.runtime;
  const { firstToken } = turn;
  measurements.modelRequest({
    model,
    outcome,
    seconds: (clock.monotonic() - begun) / 1000,
    firstToken: firstToken === undefined ? undefined : (firstToken - begun) / 1000,
  });
}

async function open(
  { scope, model, options }: TurnRequest,
  turn: ModelTurn,
  signal: AbortSignal,
): Promise<ReadableStreamDefaultReader<StreamPart>> {
  const cached = scope.component.cache && (await cachedAnswer(scope, model, options));
  if (cached?.parts) {
    turn.isCached = true;
    return replayed(cached.parts).getReader();
  }
  if (cached) turn.recorded = { digest: cached.digest, parts: [] };
  try {
    const answer = await abortable(model.stream({ ...options, abortSignal: signal }), signal);
    return answer.stream.getReader();
  } catch (error) {
    throw new ModelError(error);
  }
}

/** The hot path: every delta of every model passes here, so it reads the stream directly and emits at once. */
async function readTurn(request: TurnRequest, turn: ModelTurn, signal: AbortSignal): Promise<void> {
  const { scope, show } = request;
  const workflowAgent = scope.component.kind === "agent" ? false : undefined;
  const reader = await open(request, turn, signal);
  const recorded = turn.recorded?.parts;
  const isAnswer = show === "answer";
  const isHidden = show === "reasoning" || show === "nothing";
  const stop = (): void => void reader.cancel(signal.reason).catch(() => undefined);
  signal.addEventListener("abort", stop, { once: true });
  const sentences = request.sentences?.();
  let block: Block | undefined;
  let thinking = false;
  let wrote = false;
  try {
    for (;;) {
      let next: Awaited<ReturnType<typeof reader.read>>;
      try {
        next = await reader.read();
      } catch (error) {
        throw new ModelError(error);
      }
      if (next.done) break;
      const part = next.value;
      recorded?.push(part);
      scope.count(sizeOfPart(part));
      if (part.type === "text-delta") {
        if (!block || block.id !== part.id || block.type !== "text") block = blockFor(turn, "text", part.id);
        if (part.providerMetadata) block.providerOptions = part.providerMetadata;
        let { delta } = part;
        if (delta === "") continue;
        block.text += delta;
        turn.firstToken ??= scope.runtime.clock.monotonic();
        if (thinking) thinking = endThinking(scope);
        if (isHidden) continue;
        if (sentences) {
          delta = sentences.push(delta);
          if (delta === "") continue;
        }
        if (!wrote && (request.continues || (!isAnswer && show === "thoughts" && turn.shown)))
          delta = separator + delta;
        turn.shown = wrote = true;
        if (!isAnswer) {
          if (show === "thoughts") scope.emit("ReasoningContentDelta", { reasoning_content: delta });
          else scope.emit("RunIntermediateContent", { content: delta, content_type: "str" });
          const wait = scope.room();
          if (wait) await abortable(wait, signal);
          continue;
        }
        scope.emit("RunContent", {
          content: delta,
          workflow_agent: workflowAgent,
          content_type: "str",
          reasoning_content: "",
          model_provider_data: turn.providerData,
        });
      } else if (part.type === "reasoning-delta") {
        if (!block || block.id !== part.id || block.type !== "reasoning") block = blockFor(turn, "reasoning", part.id);
        if (part.providerMetadata) block.providerOptions = part.providerMetadata;
        if (part.delta === "") continue;
        turn.firstToken ??= scope.runtime.clock.monotonic();
        if (show === "nothing" || sentences) {
          block.text += part.delta;
          continue;
        }
        if (!thinking && show !== "thoughts") scope.emit("ReasoningStarted");
        const begins = thinking && block.text === "";
        block.text += part.delta;
        const text = begins ? separator + part.delta : part.delta;
        turn.shown = true;
        thinking = show !== "thoughts";
        if (show === "thoughts") scope.emit("ReasoningContentDelta", { reasoning_content: text });
        else {
          scope.emit("RunContent", {
            workflow_agent: workflowAgent,
            content_type: "str",
            reasoning_content: text,
            model_provider_data: turn.providerData,
          });
        }
      } else if (part.type === "source") {
        const citations = toCitations(part);
        if (!citations) continue;
        turn.citations.push(citations);
        // Sources are held together with a text that is checked.
        if (show === "nothing" || show === "thoughts" || sentences) continue;
        turn.shown = true;
        scope.emit("RunContent", {
          workflow_agent: workflowAgent,
          content_type: "str",
          reasoning_content: "",
          model_provider_data: turn.providerData,
          citations,
        });
      } else {
        takePart(turn, part);
        continue;
      }
      const wait = scope.room();
      if (wait) await abortable(wait, signal);
    }
    if (thinking && !scope.signal.aborted) thinking = endThinking(scope);
    signal.throwIfAborted();
  } finally {
    signal.removeEventListener("abort", stop);
    reader.cancel().catch(() => undefined);
    if (sentences) turn.shownText = sentences.shown;
  }
  if (turn.finish === undefined || turn.finish === "interrupted" || turn.finish === "error") {
    throw new ModelError(new AnswerCutOff(`The answer of ${request.model.provider} broke off before its end.`));
  }
  const rest = sentences?.end();
  if (!rest) return;
  turn.shown = true;
  scope.emit("RunContent", {
    content: !wrote && request.continues ? separator + rest : rest,
    workflow_agent: workflowAgent,
    content_type: "str",
    reasoning_content: "",
    model_provider_data: turn.providerData,
  });
}

/** Number of characters that a part adds to the answer. */
function sizeOfPart(part: StreamPart): number {
  if (part.type === "text-delta" || part.type === "reasoning-delta") return part.delta.length;
  if (part.type === "tool-call") return part.input.length;
  if (part.type === "source") return (part.title?.length ?? 0) + (part.sourceType === "url" ? part.url.length : 0);
  if (part.type === "file" && "data" in part.data) return (part.data.data.length * 4) / 3;
  return 0;
}

function endThinking(scope: RunScope): false {
  scope.emit("ReasoningCompleted", { content_type: "str" });
  return false;
}
