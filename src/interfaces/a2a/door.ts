/** The task service: starts, continues, finds and cancels tasks with the same services that the platform's own routes use. */
import { isRemote, takesAnswers } from "../../define/remote.ts";
import type { AcceptedRun } from "../../engine/contract.ts";
import { TroupeError } from "../../errors.ts";
import { answererOf } from "../../http/callers/approvers.ts";
import { attributedUser } from "../../http/callers/attribution.ts";
import { tooLarge, uploadTooLarge } from "../../http/input/refusals.ts";
import { outputOf } from "../../http/records/run.ts";
import { hosted, type Kind } from "../../http/routes/kinds.ts";
import type { Services } from "../../http/transport/services.ts";
import { type Principal, sessionFor } from "../../model/principal.ts";
import type { PushTarget } from "../../model/push.ts";
import type { FirstMessage, RunOptions } from "../../model/record.ts";
import { isActive } from "../../model/run.ts";
import type { Settings } from "../../model/settings.ts";
import type { LocatedRun, RunRow } from "../../store/contract/store.ts";
import type { Message, Metadata } from "./protocol.ts";
import { afterEvent, beginning, type Cursor } from "./stream/cursor.ts";
import { noAnswers, toAnswers } from "./task/answers.ts";
import { type Input, toInput, toKept } from "./task/parts.ts";
import { exchangeOf } from "./task/task-of.ts";

/** The caller and the component that it addresses. */
export interface Visit {
  readonly services: Services;
  readonly caller: Principal;
  readonly kind: Kind;
  readonly componentId: string;
}

/** A message that begins a task or continues one. */
export interface Sending {
  readonly message: Omit<Message, "kind" | "role">;
  /** Metadata of the request; it becomes the run's metadata. */
  readonly metadata?: Metadata | undefined;
  /** The user id that the request names; see `mayClaimUser`. */
  readonly claimedUser?: string | undefined;
  readonly accepted?: readonly string[] | undefined;
  /** False if the client does not wait on an open connection. */
  readonly waits: boolean;
  readonly stream: boolean;
  /** Makes repeated sends of the message a single start. */
  readonly idempotency?: { readonly key: string; readonly fingerprint: string } | undefined;
  /** If true, nothing new is started: a start with the same key must exist. */
  readonly again?: boolean | undefined;
  /** Push targets of the task that the message begins. */
  readonly pushTargets?: readonly PushTarget[] | undefined;
  /** The token that may be forwarded to the remote server that executes the component. */
  readonly bearer?: string | undefined;
}

/** The task that a message has begun or continued. */
export interface Reached {
  readonly run: Pick<AcceptedRun, "key" | "runId" | "sessionId">;
  /** The position in the task's stream after which the message's effects begin: the sender knows everything before it. */
  readonly after: Cursor;
  readonly isRepeated: boolean;
}

/**
 * Sends a message: it begins a task, or continues the paused task that it names.
 *
 * @throws TroupeError `notFound` (component, task), `conflict` (the task is over or at work), `badRequest` (no answer to what the task waits for),
 * `forbidden` (a reserved user id), `tooLarge`, `unavailable`, `tooManyRequests`
 */
export async function send(visit: Visit, sending: Sending): Promise<Reached> {
  const { services, kind, componentId } = visit;
  const entry = hosted(services, kind, componentId);
  refuseClosed(services);
  const { taskId } = sending.message;
  if (isRemote(entry)) refuseRemotely(kind, sending, entry);
  return taskId === undefined ? await begin(visit, sending) : await goOn(visit, sending, taskId);
}

/**
 * The run of a task, if the caller may see it, even if its component is no longer hosted. A member's run is not a task.
 *
 * @throws TroupeError `notFound`
 */
export async function findTask(visit: Visit, taskId: string, contextId?: string): Promise<LocatedRun> {
  const { services, caller, kind, componentId } = visit;
  const run = await services.store.locateRun(caller, taskId);
  const isHere = run?.kind === kind.name && run.componentId === componentId && run.parentRunId === null;
  if (!isHere) hosted(services, kind, componentId);
  if (!isHere || (contextId !== undefined && contextId !== run.sessionId)) throw noTask();
  return run;
}

/** The complete run of a task. @throws TroupeError `notFound` */
export async function readTask(visit: Visit, taskId: string, contextId?: string): Promise<RunRow> {
  const { runId } = await findTask(visit, taskId, contextId);
  const run = await visit.services.store.findRun(visit.caller, runId);
  if (!run) throw noTask();
  return run;
}

/**
 * Cancels a task, and returns its run afterwards: it is cancelled, unless that takes longer than the setting `deleteTimeout`. A finished task stays as
 * it is.
 *
 * @throws TroupeError `notFound`
 */
export async function cancel(visit: Visit, taskId: string, contextId?: string): Promise<RunRow> {
  const { engine, logs, platform, runtime } = visit.services;
  const run = await findTask(visit, taskId, contextId);
  await engine.cancel(run);
  const head = await logs.head(run.key);
  const wait = new AbortController();
  const stop = runtime.clock.after(platform.settings.deleteTimeout, () => wait.abort());
  try {
    // A pause normally ends the stream of a run; here only the end of the run counts.
    const cursor = (head?.nextIndex ?? 0) - 1;
    for await (const _ of logs.follow(run.key, { cursor, signal: wait.signal, acrossPauses: true }));
  } catch (error) {
    if (!wait.signal.aborted) throw error;
  } finally {
    stop();
  }
  return await readTask(visit, taskId, contextId);
}

/** Rejects messages that a remote component cannot handle: background execution, and answers to a component that does not accept them. */
function refuseRemotely({ plural }: Kind, { waits, message }: Sending, entry: object): void {
  const continues = message.taskId !== undefined;
  if (continues && takesAnswers(entry)) return;
  const what = continues ? "Continue" : waits ? undefined : "Background execution";
  if (what) throw new TroupeError("badRequest", `${what} is not supported for remote ${plural}`);
}

/** @throws TroupeError `unavailable` while this server accepts no new runs */
function refuseClosed({ engine }: Services): void {
  const { acceptance } = engine;
  if (acceptance.open) return;
  throw new TroupeError("unavailable", acceptance.reason, { retryAfter: acceptance.retryAfter });
}

async function begin({ services, caller, kind, componentId }: Visit, sending: Sending): Promise<Reached> {
  const { message, stream, waits, idempotency, again: onlyIfRepeated, bearer, claimedUser, pushTargets } = sending;
  const input = toInput(message.parts);
  refuseTooLarge(input, services.platform.settings);
  const run = await services.engine.start(caller, {
    kind: kind.name,
    componentId,
    ...input,
    sessionId: message.contextId,
    userId: attributedUser(caller, claimedUser),
    options: optionsOf(sending, { stream, background: !waits }),
    execution: waits ? "now" : "dispatch",
    bearer,
    idempotency,
    onlyIfRepeated,
    pushTargets,
  });
  return { run, after: beginning, isRepeated: run.isRepeated };
}

function optionsOf(
  { message, metadata, accepted }: Sending,
  asked: Pick<RunOptions, "stream" | "background">,
): RunOptions {
  const { messageId, metadata: said, extensions, referenceTaskIds } = message;
  const parts = toKept(message.parts);
  const a2a: FirstMessage = {
    messageId,
    ...(parts && { parts }),
    ...(said && { metadata: { ...said } }),
    ...(extensions && { extensions }),
    ...(referenceTaskIds && { referenceTaskIds }),
    ...(accepted && { acceptedOutputModes: accepted }),
  };
  const { factory_input: factoryInput } = metadata ?? {};
  return {
    ...asked,
    ...(metadata && { metadata: { ...metadata } }),
    ...(isObject(factoryInput) && { factoryInput }),
    a2a,
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function refuseTooLarge({ message, media }: Input, { maxMessageBytes, maxUploadBytes }: Settings): void {
  if (Buffer.byteLength(message) > maxMessageBytes) throw tooLarge("The message", maxMessageBytes);
  const bytes = media.reduce((sum, { data = "" }) => sum + Buffer.byteLength(data, "base64"), 0);
  if (bytes > maxUploadBytes) throw uploadTooLarge(maxUploadBytes);
}

async function goOn(visit: Visit, sending: Sending, taskId: string): Promise<Reached> {
  const { services, caller } = visit;
  const { message, claimedUser, idempotency, again: onlyIfRepeated, bearer } = sending;
  const answerer = answererOf(services, caller, claimedUser);
  const located = await findTask(visit, taskId, sessionFor(caller, message.contextId));
  const run = await services.store.findRun(caller, located.runId);
  if (!run) throw noTask();
  const pause = run.status === "PAUSED" ? outputOf(run).pause : undefined;
  // An earlier send of the message may have had its effect already: the engine checks that.
  if (!pause && idempotency === undefined) throw atWorkOrOver(run);
  const answers = pause ? toAnswers(pause, message.parts) : noAnswers;
  const exchange = pause && exchangeOf(run, message);
  const { cursor, isRepeated } = await services.engine.continueRun(caller, run, {
    ...answers,
    exchange,
    answerer,
    bearer,
    idempotency,
    onlyIfRepeated,
  });
  return { run, after: afterEvent(cursor), isRepeated };
}

function atWorkOrOver({ status }: RunRow): TroupeError {
  if (!isActive(status)) return new TroupeError("conflict", "The task is over.");
  const advice = "To follow it, send Last-Event-ID with the id of the last frame that you have.";
  return new TroupeError("conflict", `The task is at work, and takes no message now. ${advice}`);
}

function noTask(): TroupeError {
  return new TroupeError("notFound", "Task not found");
}
