/** Continues runs: a paused run with the answers to its questions, a finished run by a new one. */
import { isRemote, takesAnswers } from "../define/remote.ts";
import type { AcceptedRun, Continuation, ContinueRequest, StartRequest } from "../engine/contract.ts";
import { inheritedOptions, type SuccessorRequest } from "../engine/run/successor.ts";
import { TroupeError } from "../errors.ts";
import { inheritedUserId, type Principal, sessionFor } from "../model/principal.ts";
import type { PushTarget } from "../model/push.ts";
import type { Pause } from "../model/run/record.ts";
import { inputOf, outputOf } from "../model/run/stored-run.ts";
import type { TraceContext } from "../model/trace/propagation.ts";
import type { LocatedRun, RunRow } from "../store/contract/store.ts";
import { answererOf, attributedUser, forwardable } from "./callers.ts";
import { findComponent, findExecuted, findRun, type RunName, requireSession, type SessionRule } from "./find.ts";
import { type Limited, limitStarts } from "./limits/rates.ts";
import { checkSize } from "./limits/sizes.ts";
import type { RunParts } from "./parts.ts";
import { checkAcceptance } from "./start.ts";

export type { GivenCallAnswer } from "../engine/pause/call-answers.ts";
export type { GivenStepAnswer } from "../engine/pause/step-answers.ts";
export type { SuccessorRequest } from "../engine/run/successor.ts";

/** The answers to a pause, in our own form. */
export type Answers = Pick<ContinueRequest, "stepAnswers" | "callAnswers" | "field" | "exchange">;

/** Fields of both commands. */
interface Continuing extends Pick<StartRequest, "idempotency" | "onlyIfRepeated"> {
  /** The user that the request names; ignored for callers with a credential. */
  readonly userId: string | undefined;
  /** As in `StartCommand`. */
  readonly token?: string | undefined;
  /** Which callers must name the run's session. Default: none. */
  readonly sessionRule?: SessionRule | undefined;
}

/** Answers to a paused run. */
export interface ContinueCommand extends Continuing {
  /** The answers, or a function that finds them in the pause: for protocols whose messages do not name what they answer. */
  readonly answers: Answers | ((pause: Pause, run: RunRow) => Answers);
  /** Receives the run's changes from now on. It is stored before the answers, so that it receives every change. */
  readonly pushTarget?: PushTarget | undefined;
}

/** A run that continues. */
export interface ContinuedRun extends Continuation {
  readonly run: LocatedRun;
}

/** Answers for a run that is not paused: the engine rejects them, unless they repeat an earlier request. */
const noAnswers: Answers = { stepAnswers: [], callAnswers: [], field: "data" };

/**
 * Continues a paused run; resolves when the answers are durable.
 *
 * @throws TroupeError `notFound` (component, run), `unavailable`, `badRequest` (a remote component that takes no answers, no session), those of
 * `PushService.put` and of `Engine.continueRun`. A run that is not paused: `RunNotPaused`
 */
export async function continueRun(
  parts: RunParts,
  caller: Principal,
  name: RunName,
  { answers, pushTarget, userId, token, sessionRule, ...repetition }: ContinueCommand,
): Promise<ContinuedRun> {
  const entry = await findExecuted(parts, caller, name);
  checkAcceptance(parts);
  if (entry && !takesAnswers(entry)) throw notForRemotes(name);
  const run = await findRun(parts, caller, inSession(caller, name, sessionRule));
  if (pushTarget) await parts.pushes?.put(run.key, pushTarget);
  const given = typeof answers === "function" ? await answersFor(parts, caller, run, answers) : answers;
  const continuation = await parts.engine.continueRun(caller, run, {
    ...given,
    ...repetition,
    answerer: answererOf(parts, caller, userId),
    bearer: forwardable(parts, caller, token),
  });
  return { ...continuation, run };
}

async function answersFor(
  parts: RunParts,
  caller: Principal,
  run: LocatedRun,
  toAnswers: (pause: Pause, run: RunRow) => Answers,
): Promise<Answers> {
  const row = await readRow(parts, caller, run);
  const { pause } = row.status === "PAUSED" ? outputOf(row) : {};
  return pause ? toAnswers(pause, row) : noAnswers;
}

/** A new run that continues from a finished one. */
export interface SuccessorCommand extends Continuing {
  readonly succession: Omit<SuccessorRequest, "run">;
  readonly additionalInstructions: string | undefined;
  readonly stream: boolean;
  readonly background: boolean;
  /** The caller's trace context. */
  readonly trace?: TraceContext | undefined;
}

/**
 * Starts a run that continues from a finished one: in its session, or in a copy of it.
 *
 * @throws TroupeError `notFound`, `badRequest` (a remote component, no session), `forbidden` (a fork for a credential of one session), `tooLarge`, and
 * those of `Engine.start`
 */
export async function startSuccessor(
  parts: RunParts,
  caller: Principal,
  name: RunName,
  {
    succession,
    additionalInstructions,
    stream,
    background,
    userId,
    token,
    trace,
    sessionRule,
    ...repetition
  }: SuccessorCommand,
): Promise<AcceptedRun & Limited> {
  if (isRemote(findComponent(parts, name))) throw notForRemotes(name);
  if (succession.fork) requireForkable(caller);
  const located = await findRun(parts, caller, inSession(caller, name, sessionRule));
  checkSize(parts, { message: succession.input ?? "" }, "The input");
  const earlier = await readRow(parts, caller, located);
  const { message } = inputOf(earlier);
  const user = attributedUser(caller, userId) ?? inheritedUserId(caller, earlier.userId);
  const request: StartRequest = {
    kind: earlier.kind,
    componentId: earlier.componentId,
    message: succession.input ?? message,
    media: [],
    sessionId: earlier.sessionId,
    userId: user ?? undefined,
    bearer: forwardable(parts, caller, token),
    trace,
    options: {
      ...inheritedOptions(earlier, user),
      ...{ stream, background },
      ...(additionalInstructions !== undefined && { additionalInstructions }),
    },
    from: { ...succession, run: earlier },
    execution: background && !stream ? "dispatch" : "now",
    ...repetition,
  };
  return await limitStarts(parts, caller, user ?? undefined, () => parts.engine.start(caller, request));
}

/** Rejects credentials that are limited to one session: a fork is another session. @throws TroupeError `forbidden` */
export function requireForkable({ claims }: Principal): void {
  if (claims?.sessionId === undefined) return;
  throw new TroupeError("forbidden", "The credential is for one session only, and a fork is another one.");
}

/** Without a rule, the session in a credential counts as well. */
function inSession(caller: Principal, name: RunName, rule: SessionRule | undefined): RunName {
  const { sessionId } = name;
  return { ...name, sessionId: rule ? requireSession(caller, sessionId, rule) : sessionFor(caller, sessionId) };
}

async function readRow({ store }: RunParts, caller: Principal, { runId }: LocatedRun): Promise<RunRow> {
  const run = await store.findRun(caller, runId);
  if (!run) throw new TroupeError("notFound", "Run not found");
  return run;
}

function notForRemotes({ kind }: RunName): TroupeError {
  return new TroupeError("badRequest", `Continue is not supported for remote ${kind}s`);
}
