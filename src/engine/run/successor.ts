/** Runs that continue from a run that has ended: they copy its messages up to some point, and add another message or try again. */
import { TroupeError } from "../../errors.ts";
import type { Principal } from "../../model/principal.ts";
import type { Media, Message } from "../../model/run/message.ts";
import type { RunInput, RunOptions, RunOrigin } from "../../model/run/record.ts";
import { isActive, isTerminal } from "../../model/run/run.ts";
import type { MessageRow, RunCreation, RunRow } from "../../store/contract/store.ts";
import { nextStep } from "../loops/next-step.ts";
import type { EngineParts } from "../parts.ts";
import { copySession } from "./copy-session.ts";
import type { StoredOptions } from "./stored-options.ts";

/** How to continue from a run that has ended. */
export interface SuccessorRequest {
  readonly run: RunRow;
  /** The messages to copy: all of them, those up to the last user message, or a number of them. */
  readonly from: "end" | "last_user" | number;
  /** The message to add. */
  readonly input: string | undefined;
  /** Whether the answer is generated again from the last user message, which the input replaces. */
  readonly regenerate: boolean;
  /** Whether the new run is created in a copy of the session up to the run. */
  readonly fork: boolean;
  /** Whether the new run replaces the old one in the session. Default: true unless it is forked. */
  readonly replaceOriginal: boolean | undefined;
}

/** Data of the new run in addition to that of every run. */
export interface Successor extends Pick<RunCreation, "sessionId" | "owner" | "messages" | "replaces"> {
  readonly input: RunInput;
  readonly options: RunOptions;
  /** Key of the session that was created for it. */
  readonly copied: number | undefined;
}

/**
 * Options that a new run copies from its predecessor. Dependencies determine in whose name a run acts: the
 * dependencies of another user's run, or from a credential, are not copied.
 */
export function inheritedOptions(
  { options, userId: earlier }: Pick<RunRow, "options" | "userId">,
  userId: string | null,
): RunOptions {
  const { ui, metadata, outputSchema, knowledgeFilters, factoryInput, limits, ...others } = JSON.parse(
    options,
  ) as StoredOptions;
  const { dependencies = {}, claimed = [] } = others;
  const given = earlier === userId ? Object.entries(dependencies).filter(([name]) => !claimed.includes(name)) : [];
  return {
    ...(ui && { ui }),
    ...(metadata && { metadata }),
    ...(given.length > 0 && { dependencies: Object.fromEntries(given) }),
    ...(outputSchema && { outputSchema }),
    ...(knowledgeFilters !== undefined && { knowledgeFilters }),
    ...(factoryInput && { factoryInput }),
    ...(limits && { limits }),
  };
}

/**
 * Determines the new run's initial messages and options.
 * @param userId the user of the new run
 * @throws TroupeError `badRequest`, `conflict`, `forbidden` if the caller may not start runs in the session, `notFound` if the session to fork was
 * deleted meanwhile
 */
export async function successorOf(
  parts: Pick<EngineParts, "store" | "runtime">,
  caller: Principal,
  request: SuccessorRequest,
  userId: string | null,
): Promise<Successor> {
  const { run, input, fork } = request;
  const owner = caller.owner ?? run.owner;
  refuseConflicts(request);
  if (!fork && owner !== run.owner) {
    const text =
      "The session is another user's: a run that continues there would run in that user's name. Fork the run instead.";
    throw new TroupeError("forbidden", text);
  }
  const rows = await parts.store.messages([run.key]);
  const messages = rows.map(({ body }) => JSON.parse(body) as Message);
  const count = countOf(request, messages);
  const kept = messages.slice(0, count);
  // If no message is left, the new run asks the original question again.
  const first = JSON.parse(run.input) as RunInput;
  const newInput = input !== undefined ? { message: input } : count === 0 ? first : undefined;
  checkFit(request, kept, newInput);
  const place = { beforeSeq: placeOf(run) };
  const session = fork
    ? await copySession(parts, { ...run, owner, userId }, place.beforeSeq)
    : { key: undefined, sessionId: run.sessionId };
  const origin: RunOrigin = {
    runId: run.runId,
    messages: count,
    ...(request.regenerate && { regenerates: true }),
    ...(fork ? { sessionId: run.sessionId } : place),
  };
  const copiedRows = rows
    .slice(0, count)
    .map(({ position, id, createdAt, body }) => ({ position, id, createdAt, body }));
  return {
    sessionId: session.sessionId,
    owner,
    input: newInput ?? first,
    options: { origin },
    messages: newInput === undefined ? copiedRows : [...copiedRows, question(parts, newInput, count)],
    replaces: (request.replaceOriginal ?? !fork) ? run.key : undefined,
    copied: session.key,
  };
}

function refuseConflicts({ run, fork, replaceOriginal, regenerate }: SuccessorRequest): void {
  if (isActive(run.status)) throw new TroupeError("conflict", "run is already running");
  if (!isTerminal(run.status) && (!fork || regenerate)) {
    throw new TroupeError("conflict", "run is paused: answer what it waits for, cancel it, or fork it");
  }
  if (fork && replaceOriginal === true)
    throw new TroupeError(
      "badRequest",
      "A fork leaves the original as it is: replace_original cannot be true with it.",
    );
  if (run.replacedBy !== null && (replaceOriginal ?? !fork))
    throw new TroupeError("conflict", `run is already regenerated, as ${run.replacedBy}`);
}

/** Returns how many messages are copied. @throws TroupeError `badRequest` */
function countOf({ from, regenerate, input }: SuccessorRequest, messages: readonly Message[]): number {
  if (typeof from === "number") {
    if (from <= messages.length) return from;
    throw new TroupeError("badRequest", `continue_from must be between 0 and ${messages.length}`);
  }
  if (from === "end" && !regenerate) return messages.length;
  const place = messages.findLastIndex((message) => message.role === "user" && !message.isCorrection);
  // A run that failed before it began has no messages.
  return Math.max(regenerate && input !== undefined ? place : place + 1, 0);
}

/** @throws TroupeError `badRequest` if neither a new turn nor this input can follow the messages */
function checkFit({ fork, input }: SuccessorRequest, kept: readonly Message[], newInput: RunInput | undefined): void {
  const step = nextStep(kept);
  if (input !== undefined && step.kind === "tools") {
    const names = step.calls.map(({ name }) => name).join(", ");
    throw new TroupeError(
      "badRequest",
      `No input can follow calls without results (${names}): continue from elsewhere.`,
    );
  }
  if (newInput !== undefined || fork || step.kind === "turn" || step.kind === "tools") return;
  throw new TroupeError(
    "badRequest",
    "There the run has its answer: give an input, or continue from an earlier message.",
  );
}

/** The position in the session before which the run's history ends. */
function placeOf({ options, sessionSeq }: RunRow): number {
  return (JSON.parse(options) as RunOptions).origin?.beforeSeq ?? sessionSeq ?? 0;
}

function question(
  { runtime }: Pick<EngineParts, "runtime">,
  { message, media }: { readonly message: string; readonly media?: readonly Media[] },
  position: number,
): Omit<MessageRow, "runKey"> {
  const body: Message = { role: "user", content: message, ...(media?.length && { media }) };
  return { position, id: runtime.randomness.uuid(), createdAt: runtime.clock.now(), body: JSON.stringify(body) };
}
