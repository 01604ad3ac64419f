/** Chats: a chat is a session, and each answer in it is a run of the component. */
import { TroupeError } from "../../errors.ts";
import { afterEvent, beginning, type Cursor } from "../../http/streams/frame-cursor.ts";
import { fingerprintOf } from "../../http/transport/fingerprint.ts";
import { checkRunAction } from "../../http/transport/guard.ts";
import type { Kind } from "../../http/transport/kinds.ts";
import type { RouteServices } from "../../http/transport/services.ts";
import { type Principal, sessionFor } from "../../model/principal.ts";
import type { RunOptions } from "../../model/run/record.ts";
import { isActive, isTerminal } from "../../model/run/run.ts";
import { optionsOf } from "../../model/run/stored-run.ts";
import type { TraceContext } from "../../model/trace/propagation.ts";
import type { LocatedRun, RunName, RunRow } from "../../runs/find.ts";
import type { RunAction } from "../../runs/permissions.ts";
import type { Runs } from "../../runs/runs.ts";
import { toAnswers } from "./answers.ts";
import type { ChatForm, SentMessage } from "./request.ts";

/** A chat of a caller with a component. */
export interface Chat {
  readonly services: Pick<RouteServices, "runs">;
  readonly caller: Principal;
  readonly kind: Kind;
  readonly componentId: string;
  readonly chatId: string;
}

/** The parts of a request besides its body. */
export interface Sender {
  readonly token: string | undefined;
  readonly trace: TraceContext | undefined;
  /** The `Idempotency-Key` of the request. Without it, the key derives from the message. */
  readonly idempotencyKey: string | undefined;
  /** If true, nothing new is started: the request repeats an earlier one. */
  readonly onlyIfRepeated: boolean;
}

/** The run that answers a message. */
export interface Answering {
  readonly run: Pick<LocatedRun, "key" | "runId" | "sessionId">;
  /** The position in the run's stream after which the answer begins. */
  readonly after: Cursor;
  readonly isRepeated: boolean;
  readonly rate?: Awaited<ReturnType<Runs["start"]>>["rate"];
}

/** Checks the caller's permission for an action on the runs of the chat's component. @throws TroupeError `forbidden` */
export function authorize({ services, caller, kind, componentId }: Chat, action: RunAction): void {
  checkRunAction(services.runs, caller, action, { kind: kind.name, componentId });
}

/** The id of a run's user message, if the client gave it none. */
export function userMessageId({ runId, options }: Pick<RunRow, "runId" | "options">): string {
  return optionsOf({ options }).ui?.messageId ?? `user-${runId}`;
}

/** Sends a message: it goes into the live run of the chat, starts a run, continues the paused run of the message, or regenerates the last answer. */
export async function send(chat: Chat, form: ChatForm, sender: Sender): Promise<Answering> {
  const { message, messageId } = form;
  const isEdited = message.role === "user" && messageId === message.id;
  authorize(chat, form.regenerates || isEdited || message.role === "assistant" ? "continue" : "start");
  if (form.regenerates) return await regenerate(chat, form, sender);
  if (message.role === "assistant") return await answerPause(chat, form, message, sender);
  const edited = isEdited ? await editedRun(chat, message.id) : undefined;
  if (edited) return await replaceLast(chat, form, sender, edited, message);
  authorize(chat, "start");
  return (await steer(chat, form, message, sender)) ?? (await start(chat, form, message, sender));
}

type UserMessage = Extract<SentMessage, { readonly role: "user" }>;

/** A message is known by its id within the chat. */
function messageIdentity({ kind, componentId, chatId }: Chat, { id }: UserMessage): readonly unknown[] {
  return ["message", kind.name, componentId, chatId, id];
}

async function start(chat: Chat, form: ChatForm, message: UserMessage, sender: Sender): Promise<Answering> {
  const { services, caller, kind, componentId, chatId } = chat;
  const { metadata, dependencies, sessionState, factoryInput, userId } = form;
  const options: RunOptions = {
    stream: true,
    ui: { messageId: message.id },
    ...(metadata && { metadata: { ...metadata } }),
    ...(dependencies && { dependencies: { ...dependencies } }),
    ...(sessionState && { sessionState: { ...sessionState } }),
    ...(factoryInput && { factoryInput }),
  };
  const run = await services.runs.start(caller, {
    kind: kind.name,
    componentId,
    message: message.text,
    media: message.media,
    sessionId: chatId,
    userId,
    options,
    ...repetition(sender, messageIdentity(chat, message), { message, options, userId }),
    token: sender.token,
    trace: sender.trace,
  });
  return { run, after: beginning, isRepeated: run.isRepeated, rate: run.rate };
}

/**
 * Puts a message into the chat's last run, if that is live or has already taken this message. The answer is the message of that run, from its beginning: clients
 * replace a message by its id. Returns undefined for a message that starts a run.
 */
async function steer(chat: Chat, form: ChatForm, message: UserMessage, sender: Sender): Promise<Answering | undefined> {
  if (chat.kind.name === "workflow" || message.media.length > 0 || sender.onlyIfRepeated) return undefined;
  const [last] = await latest(chat, 1);
  if (!last || last.status === "PAUSED") return undefined;
  if (isActive(last.status) && (await hasStarted(chat, form, message, sender))) return undefined;
  authorize(chat, "steer");
  const { idempotency } = repetition(sender, messageIdentity(chat, message), message);
  const sent = { message: message.text, messageId: message.id, mode: "queue", idempotency } as const;
  try {
    const { run, isRepeated } = await chat.services.runs.steer(chat.caller, runNameOf(chat, last.runId), sent);
    return { run, after: beginning, isRepeated };
  } catch (error) {
    // The run is over, or it is the run of a remote component.
    if (error instanceof TroupeError && error.code === "conflict") return undefined;
    throw error;
  }
}

/** Whether a run was started with the message. */
async function hasStarted(chat: Chat, form: ChatForm, message: UserMessage, sender: Sender): Promise<boolean> {
  try {
    await start(chat, form, message, { ...sender, onlyIfRepeated: true });
    return true;
  } catch (error) {
    if (error instanceof TroupeError && error.code === "notFound") return false;
    throw error;
  }
}

/** Answers the calls and questions of a paused run. A repeated request has the same calls with the same answers. */
async function answerPause(
  chat: Chat,
  { userId }: ChatForm,
  { id: runId, calls }: Extract<SentMessage, { readonly role: "assistant" }>,
  sender: Sender,
): Promise<Answering> {
  const continued = await chat.services.runs.continue(chat.caller, runNameOf(chat, runId), {
    answers: (pause) => toAnswers(runId, pause, calls),
    userId,
    token: sender.token,
    ...repetition(sender, ["answers", runId, calls], { userId }),
  });
  const { run, cursor, isRepeated } = continued;
  return { run, after: afterEvent(cursor), isRepeated };
}

async function regenerate(chat: Chat, form: ChatForm, sender: Sender): Promise<Answering> {
  const [last] = await latest(chat, 1);
  if (!last) throw new TroupeError("notFound", "Nothing was regenerated: the chat has no answer.");
  const { messageId } = form;
  if (messageId !== undefined && messageId !== last.runId) {
    const row = await chat.services.runs.load(chat.caller, runNameOf(chat, last.runId));
    if (messageId !== userMessageId(row)) throw notLast();
  }
  return await replaceLast(chat, form, sender, last, undefined);
}

/** The run of the user message that is edited; undefined if no run has it. @throws TroupeError `conflict` if it is not the last one */
async function editedRun(chat: Chat, messageId: string): Promise<LocatedRun | undefined> {
  const found = await latest(chat, maxEdited);
  for (const [place, run] of found.entries()) {
    const row = await chat.services.runs.load(chat.caller, runNameOf(chat, run.runId));
    if (userMessageId(row) !== messageId) continue;
    if (place > 0) throw notLast();
    return run;
  }
  return undefined;
}

/** Number of runs among which an edited message is searched. */
const maxEdited = 20;

async function replaceLast(
  chat: Chat,
  { userId }: ChatForm,
  sender: Sender,
  { runId, status }: LocatedRun,
  edited: UserMessage | undefined,
): Promise<Answering> {
  const { services, caller, kind } = chat;
  if (kind.name === "workflow") {
    throw new TroupeError("badRequest", "Runs of workflows are not regenerated: send a new message.");
  }
  if (edited && edited.media.length > 0) {
    throw new TroupeError("badRequest", "An edited message has no files: send a new message.");
  }
  if (!isTerminal(status)) {
    throw new TroupeError("conflict", "The last answer is not complete: stop it before you regenerate it.");
  }
  const { idempotencyKey: key } = sender;
  const fingerprint = (): string => fingerprintOf(["regenerate", runId, edited]);
  const run = await services.runs.startSuccessor(caller, runNameOf(chat, runId), {
    succession: { from: "last_user", input: edited?.text, regenerate: true, fork: false, replaceOriginal: undefined },
    additionalInstructions: undefined,
    stream: true,
    background: false,
    userId,
    token: sender.token,
    trace: sender.trace,
    idempotency: key === undefined ? undefined : { key, fingerprint: fingerprint() },
    onlyIfRepeated: sender.onlyIfRepeated,
  });
  return { run, after: beginning, isRepeated: run.isRepeated, rate: run.rate };
}

/** The key of a request derives from its message, so that a repeated request does not start a second run. */
function repetition(
  { idempotencyKey, onlyIfRepeated }: Sender,
  identity: readonly unknown[],
  content: unknown,
): { readonly idempotency: { readonly key: string; readonly fingerprint: string }; readonly onlyIfRepeated: boolean } {
  const key = idempotencyKey ?? `ui:${fingerprintOf(identity)}`;
  return { idempotency: { key, fingerprint: fingerprintOf([identity, content]) }, onlyIfRepeated };
}

function notLast(): TroupeError {
  return new TroupeError("conflict", "Only the last message of a chat can be edited or regenerated.");
}

/** The last runs of the chat, newest first. @throws TroupeError `notFound` (component) */
export async function latest(
  { services, caller, kind, componentId, chatId }: Chat,
  limit: number,
): Promise<readonly LocatedRun[]> {
  const sessionId = sessionFor(caller, chatId) ?? chatId;
  return await services.runs.latest(caller, { kind: kind.name, componentId, sessionId }, limit);
}

/** Number of runs among which live ones are searched. */
const maxLive = 100;

/**
 * Cancels the live runs of the chat, or else its last run if that is paused; returns their ids once the requests are durable. A run that has ended stays
 * as it is.
 */
export async function stop(chat: Chat): Promise<readonly string[]> {
  authorize(chat, "cancel");
  const found = await latest(chat, maxLive);
  const live = found.filter(({ status }) => isActive(status));
  const stopped = live.length > 0 ? live : found.slice(0, 1).filter(({ status }) => !isTerminal(status));
  for (const { runId } of stopped) await chat.services.runs.cancel(chat.caller, runNameOf(chat, runId));
  return stopped.map(({ runId }) => runId);
}

/** The name of a run of the chat. */
export function runNameOf({ caller, kind, componentId, chatId }: Chat, runId: string): RunName {
  return { kind: kind.name, componentId, runId, sessionId: sessionFor(caller, chatId) ?? chatId };
}
