/**
 * A run that another server executes: its events become events of this server's log, one for one. Therefore an event has the same index in both
 * logs, and a recovered run resumes after the last event that is durable here.
 */
import type { Hosted } from "../../define/platform.ts";
import { InvariantError } from "../../errors.ts";
import { abortable } from "../../model/abortable.ts";
import type { Media, ModelUsage } from "../../model/run/message.ts";
import type { RunMetrics, RunOutput } from "../../model/run/record.ts";
import type { StepRecord } from "../../model/workflow.ts";
import { isLost, type RelayedFields, RunFailure, type RunScope, RunStopped } from "../loops/contract.ts";
import { bearerFor } from "./bearers.ts";
import { begin, runIn } from "./begin.ts";
import { toRunFailure } from "./failures.ts";
import { mediaIn } from "./media.ts";
import { type RemoteRun, remoteOf } from "./placeholder.ts";
import { upstreamOf } from "./protocols.ts";
import { pauseOn, unsentAnswer } from "./questions.ts";
import { endingOf, type IdMapping, rewriteIds } from "./rewrite-ids.ts";
import type { UpstreamCall, UpstreamEvent, UpstreamRun } from "./upstream.ts";
import { isTransient, UpstreamUnreachable } from "./upstream-errors.ts";

/** Failed attempts in a row after which the other server counts as unreachable. */
const maxAttempts = 8;
const minDelay = 250;
const maxDelay = 10_000;
/** Maximum milliseconds to wait for the other server to accept a cancellation. */
const cancelTimeout = 5_000;

/** The name under which the run's id there is recorded. */
const upstreamMark = "remote:run";

/** The scope of a remote component's loop. */
type Scope = RunScope<Hosted>;

/** Runs it until it has an answer. */
export async function remoteLoop(scope: Scope): Promise<RunOutput> {
  const run = remoteOf(scope.component);
  if (!run) throw new InvariantError(`${scope.component.id} is not remote.`);
  try {
    return await relay(scope, run);
  } catch (error) {
    // A stopped run is cancelled there, too; a run that another process recovers continues there.
    if (scope.signal.aborted && !isLost(scope.signal.reason)) await cancelRemote(scope);
    throw toRunFailure(run.remote, error);
  }
}

/** Cancels the run on the other server, once. Does not fail: the run here ends regardless of the response. */
export async function cancelRemote(
  scope: Pick<Scope, "component" | "mark" | "runtime" | "settings" | "bearer" | "cancelledRemotes" | "spans"> & {
    readonly context: { readonly runId: string };
  },
): Promise<void> {
  const run = remoteOf(scope.component);
  const there = scope.mark(upstreamMark) as UpstreamRun | undefined;
  if (!run || !there || scope.cancelledRemotes.has(scope.context.runId)) return;
  scope.cancelledRemotes.add(scope.context.runId);
  const { clock, log } = scope.runtime;
  const late = new AbortController();
  const stop = clock.after(cancelTimeout, () => late.abort(new UpstreamUnreachable("it took too long")));
  try {
    const bearer = await bearerFor(run.remote, scope.bearer);
    await upstreamOf(run.remote, scope).cancel(there, { bearer, signal: late.signal, trace: scope.spans.headers() });
  } catch (error) {
    log.warn({ error, runId: scope.context.runId }, "A cancellation could not be sent to the other server.");
  } finally {
    stop();
  }
}

async function relay(scope: Scope, { remote, opened }: RemoteRun): Promise<RunOutput> {
  const { runtime, signal, context } = scope;
  const upstream = upstreamOf(remote, scope);
  let there = scope.mark(upstreamMark) as UpstreamRun | undefined;
  let cursor = scope.relayedBefore;
  let canResume = true;
  let attempts = 0;
  const call = async (): Promise<UpstreamCall> => ({
    bearer: await bearerFor(remote, scope.bearer),
    signal,
    trace: scope.spans.headers(),
  });

  const open = async (): Promise<AsyncIterable<UpstreamEvent>> => {
    const emittedText = () => scope.emittedText();
    const open = there && unsentAnswer(scope);
    if (there && open && upstream.answer) {
      const events = await upstream.answer(there, open.answer, await call(), emittedText);
      open.sent();
      return events;
    }
    if (there) return await upstream.resume(there, cursor, await call(), emittedText);
    const { message, media = [] } = scope.input;
    const { id: sessionId } = context.session;
    const start = { message, media, sessionId, userId: context.userId, options: scope.options, key: context.runId };
    const begun = await begin(scope, { remote, upstream }, start);
    there = recordUpstreamRun(scope, begun.run);
    return begun.events;
  };

  const disconnect = (): void => opened?.connection.abort(signal.reason);
  if (signal.aborted) disconnect();
  signal.addEventListener("abort", disconnect, { once: true });
  if (scope.messages.length === 0) scope.appendMessage(toUserMessage(scope.input.message, scope.input.media));
  if (!there && opened?.events.run) there = recordUpstreamRun(scope, opened.events.run);
  for (let events: AsyncIterable<UpstreamEvent> | undefined = opened?.events; ; events = undefined) {
    try {
      for await (const event of events ?? (await open())) {
        if (event.index !== undefined && event.index <= cursor) continue;
        there ??= recordUpstreamRun(scope, runIn(event, context.session.id));
        const mapping: IdMapping = {
          component: scope.component,
          there,
          here: { runId: context.runId, sessionId: context.session.id },
        };
        const fields = rewriteIds(event.data, mapping);
        const ending = endingOf(fields, mapping);
        if (ending === "Paused" && event.question) throw pauseOn(scope, event.question);
        if (ending !== undefined) return end(scope, ending, fields, event.media);
        scope.relay(fields, event.index);
        attempts = 0;
        cursor += 1;
        if (event.index === undefined) canResume = false;
        else if (event.index !== cursor)
          throw new RunFailure("remote_error", "Events of the other server are missing.");
        const room = scope.room();
        if (room) await abortable(room, signal);
      }
      throw new UpstreamUnreachable("its stream ended before the run did");
    } catch (error) {
      if (signal.aborted || !isTransient(error) || !canResume || ++attempts >= maxAttempts) throw error;
      runtime.log.info(
        { error, runId: context.runId, tries: attempts },
        "The stream of another server broke; it is resumed.",
      );
      await runtime.clock.sleep(Math.min(minDelay * 2 ** (attempts - 1), maxDelay), signal);
      signal.throwIfAborted();
    }
  }
}

/** Records the run's id there. Becomes durable with its first event. */
function recordUpstreamRun(scope: Scope, run: UpstreamRun): UpstreamRun {
  scope.setMark(upstreamMark, run);
  return run;
}

/** Returns the run's output. As for every run, the last event is written in the flush that ends it. */
function end(
  scope: Scope,
  ending: NonNullable<ReturnType<typeof endingOf>>,
  fields: RelayedFields,
  media: readonly Media[] = mediaIn(fields),
): RunOutput {
  switch (ending) {
    case "Completed":
      if (typeof fields.content === "string") scope.appendMessage({ role: "assistant", content: fields.content });
      return { ...toOutput(scope, fields), ...(media.length > 0 && { media }) };
    case "Cancelled":
      throw new RunStopped({ kind: "cancelled" });
    case "Paused":
      throw new RunFailure(
        "remote_paused",
        "The run waits for a person on the other server, and it can be answered there only.",
      );
    case "Error": {
      const { content, error, error_type } = fields;
      const text = [content, error].find((value) => typeof value === "string" && value !== "");
      const type = typeof error_type === "string" && error_type !== "" ? error_type : "remote_error";
      throw new RunFailure(type, String(text ?? "The run failed on the other server."));
    }
  }
}

function toOutput({ component }: Scope, fields: RelayedFields): RunOutput {
  const { content, content_type, reasoning_content, citations, model_provider_data, metrics, session_state, metadata } =
    fields;
  const { member_responses, step_results, step_executor_runs } = fields;
  return {
    ...(content === undefined ? {} : { content }),
    contentType: typeof content_type === "string" ? content_type : "str",
    ...(typeof reasoning_content === "string" ? { reasoningContent: reasoning_content } : {}),
    ...(isObject(citations) ? { citations } : {}),
    ...(isObject(model_provider_data) ? { providerData: model_provider_data } : {}),
    ...(isObject(metrics) ? { metrics: toMetrics(metrics) } : {}),
    ...(isObject(session_state) ? { sessionState: session_state } : {}),
    ...(isObject(metadata) ? { metadata } : {}),
    ...(Array.isArray(member_responses) ? { memberResponses: member_responses as Record<string, unknown>[] } : {}),
    ...(Array.isArray(step_executor_runs) ? { executorRuns: step_executor_runs as Record<string, unknown>[] } : {}),
    ...(component.kind === "workflow" ? { stepResults: (step_results ?? []) as readonly StepRecord[] } : {}),
  };
}

/** Keeps only well-formed counters of models, because the session adds them up. */
function toMetrics({ details, ...counters }: Record<string, unknown>): RunMetrics {
  const lists = Object.entries(isObject(details) ? details : {}).flatMap(([purpose, list]) => {
    const usage = Array.isArray(list) ? list.filter(isUsage) : [];
    return usage.length > 0 ? [[purpose, usage] as const] : [];
  });
  return { ...counters, ...(lists.length > 0 ? { details: Object.fromEntries(lists) } : {}) } as RunMetrics;
}

function isUsage(item: unknown): item is ModelUsage {
  if (!isObject(item)) return false;
  const { id, provider, input_tokens, output_tokens, total_tokens } = item;
  const counts = [input_tokens, output_tokens, total_tokens];
  return typeof id === "string" && typeof provider === "string" && counts.every((count) => Number.isSafeInteger(count));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function toUserMessage(content: string, media: readonly Media[] | undefined): { role: "user"; content: string } {
  return { role: "user", content, ...(media?.length ? { media } : {}) };
}
