/** Continues a paused run exactly once, regardless of who answers and how often an answer is sent. */
import { TroupeError } from "../../errors.ts";
import type { Principal } from "../../model/principal.ts";
import type { Pause } from "../../model/run/record.ts";
import { exchangeName } from "../../model/run/run-marks.ts";
import { RunNotPaused } from "../../model/run/run-not-paused.ts";
import { outputOf } from "../../model/run/stored-run.ts";
import type { Mark, RunRef, RunRow } from "../../store/contract/store.ts";
import type { Continuation, ContinueRequest } from "../contract.ts";
import type { EngineParts } from "../parts.ts";
import { type Reservation, releasedOnRejection, reserveKey } from "../run/idempotency.ts";
import { answeredMark } from "./answered-questions.ts";
import { resolveAnswers } from "./answers.ts";
import { checkEntered } from "./entered-values.ts";

/** The body of a continue's mark. */
interface Continued {
  /** Index of the last event before it. */
  readonly cursor: number;
}

type Parts = Pick<EngineParts, "store" | "runtime" | "settings" | "components">;

/**
 * Stores the answers to the pause; the run becomes PENDING, unless an earlier request was the same continue.
 * @throws TroupeError
 */
export async function continuePaused(
  parts: Parts,
  caller: Principal,
  { key, runId }: RunRef,
  request: ContinueRequest,
): Promise<Continuation> {
  const { idempotency } = request;
  const reservation = idempotency && (await reserveKey(parts, caller, idempotency, runId));
  const earlier = reservation && (await earlierOf(parts, key, reservation));
  if (earlier) return { ...earlier, isRepeated: true };
  if (request.onlyIfRepeated) throw new TroupeError("notFound", "No run was continued with this Idempotency-Key");
  return await releasedOnRejection(parts, { reservation, isStart: false }, () =>
    storeAnswers(parts, caller, { key, runId }, request, reservation),
  );
}

async function storeAnswers(
  parts: Parts,
  caller: Principal,
  { key, runId }: RunRef,
  request: ContinueRequest,
  reservation: Reservation | undefined,
): Promise<Continuation> {
  const { store, runtime } = parts;
  // Read the head before the pause: the write succeeds only if the answers belong to the pause of that attempt.
  const head = await store.head(key);
  const run = head && (await store.findRun(caller, runId));
  if (!run) throw new TroupeError("notFound", "Run not found");
  try {
    const pause = pauseOf(run);
    const now = runtime.clock.now();
    const approvals = pause.approvals?.length ? await store.approvalsOf(key) : [];
    const answers = resolveAnswers({ ...request, pause, approvals }, now);
    await checkEntered(parts, run, answers.entered, "Cannot continue run");
    const cursor = head.nextIndex - 1;
    const mark = reservation && markOf(key, reservation, { cursor }, now);
    const marks = [
      ...answers.marks,
      answeredMark({ key, attempt: head.attempt }, pause, answers.answered, now),
      ...(mark ? [mark] : []),
      ...(request.exchange === undefined ? [] : [exchangeMark(key, head.attempt, request.exchange, now)]),
    ];
    if (await store.continueRun(key, head.attempt, marks, answers.approvals)) {
      return { cursor, isRepeated: false };
    }
    throw new TroupeError("conflict", "run was continued or cancelled by another caller");
  } catch (error) {
    // Two requests for the same continue arrived at the same time, and the other was stored first. The run may wait for other answers by now.
    const faster = reservation && error instanceof TroupeError && (await earlierOf(parts, key, reservation));
    if (faster) return { ...faster, isRepeated: true };
    throw error;
  }
}

/** @throws RunNotPaused */
function pauseOf(run: RunRow): Pause {
  const { pause } = run.status === "PAUSED" ? outputOf(run) : {};
  if (!pause) throw new RunNotPaused(run.status);
  return pause;
}

function exchangeMark(runKey: number, attempt: number, exchange: unknown, createdAt: number): Mark {
  return { runKey, name: exchangeName(attempt), createdAt, body: JSON.stringify(exchange) };
}

function nameOf({ digest, at }: Reservation): string {
  return `continued:${digest}/${at}`;
}

function markOf(runKey: number, reservation: Reservation, continued: Continued, createdAt: number): Mark {
  return { runKey, name: nameOf(reservation), createdAt, body: JSON.stringify(continued) };
}

async function earlierOf(
  { store }: Pick<EngineParts, "store">,
  key: number,
  reservation: Reservation,
): Promise<Continued | undefined> {
  const mark = (await store.marks([key])).find(({ name }) => name === nameOf(reservation));
  return mark && (JSON.parse(mark.body) as Continued);
}
