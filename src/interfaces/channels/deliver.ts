/**
 * Delivers the answer of a run to its chat: a durable job. It posts a message when the first text arrives, edits it while the text grows, and posts the rest at
 * the end. After each post it records the id of the message, so another process goes on where this one stopped.
 */
import { TroupeError } from "../../errors.ts";
import type { InterfaceJob, JobOutcome } from "../../http/transport/services.ts";
import type { Principal } from "../../model/principal.ts";
import { isTerminal } from "../../model/run/run.ts";
import type { RunName, RunRow } from "../../runs/find.ts";
import { Answer, type AnswerEnd, split } from "./answer.ts";
import type { ChannelOptions } from "./options.ts";
import { buttonValue, type ChannelParts, type Origin, originOf } from "./origin.ts";
import { type ChatButton, type ChatFile, ChatRejected, RateLimited } from "./platform.ts";

/** The progress of a job. */
interface Progress {
  /** Index of the last event before the part of the log that is delivered. */
  readonly from: number;
  /** Ids of the messages of this part, in order. */
  readonly posted: readonly string[];
  /** Whether the first message has its final text. */
  readonly isSettled: boolean;
  /** Number of files that were posted. */
  readonly files: number;
  /** Set while the run waits for an answer: the index of its pause event, and the number of checks. */
  readonly waiting?: { readonly index: number; readonly checks: number };
  /** Consecutive failures. */
  readonly failures: number;
}

const atStart: Progress = { from: -1, posted: [], isSettled: false, files: 0, failures: 0 };

/** A channel whose answers are delivered. */
export interface DeliveringChannel extends ChannelParts {
  readonly component: Pick<RunName, "kind" | "componentId">;
  readonly caller: () => Promise<Principal>;
}

/** Milliseconds between two checks whether a paused run was answered elsewhere: the first, and the longest. */
const firstCheck = 10_000;
const longestCheck = 300_000;

/** Milliseconds before the first retry, and the longest pause between two. */
const firstRetry = 1_000;
const longestRetry = 60_000;

/** Failures after which an answer is given up: about an hour. */
const maxFailures = 65;

/** Executes a job once. */
export async function deliver(channel: DeliveringChannel, job: InterfaceJob, signal: AbortSignal): Promise<JobOutcome> {
  const progress = { ...atStart, ...(job.state as Progress | undefined) };
  const { log } = channel.services.runtime;
  try {
    return await attempt(channel, job.id, progress, signal);
  } catch (error) {
    if (error instanceof RateLimited) return again(progress, error.delay);
    const failures = progress.failures + 1;
    const ids = { error, runId: job.id, channel: channel.name };
    if (error instanceof ChatRejected || failures > maxFailures) {
      log.error(ids, "The answer of a run could not be posted to its chat; it is given up.");
      return { kind: "done" };
    }
    if (!signal.aborted) log.warn(ids, "The answer of a run could not be posted to its chat; trying again.");
    return again({ ...progress, failures }, Math.min(firstRetry * 2 ** (failures - 1), longestRetry));
  }
}

function again(progress: Progress, delay = 0): JobOutcome {
  return { kind: "again", delay, state: progress };
}

async function attempt(
  channel: DeliveringChannel,
  runId: string,
  progress: Progress,
  signal: AbortSignal,
): Promise<JobOutcome> {
  const { services, component, name } = channel;
  const caller = await channel.caller();
  const run = await services.runs.load(caller, { ...component, runId }).catch(ifFound);
  const origin = run && originOf(run, name);
  if (!run || !origin) return { kind: "done" };
  const { waiting } = progress;
  if (waiting) {
    const head = await services.runs.head(run);
    const isAnswered = run.status !== "PAUSED" || (head?.nextIndex ?? 0) > waiting.index + 2;
    if (isAnswered) return again({ ...atStart, from: waiting.index });
    const delay = Math.min(firstCheck * 2 ** waiting.checks, longestCheck);
    return again({ ...progress, waiting: { ...waiting, checks: waiting.checks + 1 } }, delay);
  }
  const answer = new Answer(runId, progress.from);
  const shown = await show(channel, { run, origin, progress, answer }, signal);
  if (shown) return shown;
  return await finish(channel, { run, origin, progress, answer, caller });
}

function ifFound(error: unknown): undefined {
  if (error instanceof TroupeError && error.code === "notFound") return undefined;
  throw error;
}

interface Delivery {
  readonly run: RunRow;
  readonly origin: Origin;
  readonly progress: Progress;
  readonly answer: Answer;
}

/** Follows the run and shows its text as it grows, until the part of the log ends. Returns an outcome if the job must go on in another attempt. */
async function show(
  { services, platform }: DeliveringChannel,
  { run, origin, progress, answer }: Delivery,
  signal: AbortSignal,
): Promise<JobOutcome | undefined> {
  const { clock } = services.runtime;
  const { place } = origin;
  const [messageId] = progress.posted;
  const done = new AbortController();
  let isPosted: string | undefined;
  let failure: unknown;
  /** Shows new text at intervals, and at once when the text begins. */
  const edit = async (): Promise<void> => {
    let shown = "";
    let delay = messageId === undefined ? 50 : platform.editInterval(place);
    while (!done.signal.aborted) {
      await clock.sleep(delay, done.signal);
      delay = messageId === undefined ? 50 : platform.editInterval(place);
      const [text = ""] = split(answer.text, platform.maxTextLength);
      if (done.signal.aborted || text.trim() === "" || text === shown) continue;
      try {
        if (messageId === undefined) {
          isPosted = await platform.post(place, text);
          done.abort();
        } else await platform.edit(place, messageId, text);
        shown = text;
      } catch (error) {
        if (!(error instanceof RateLimited)) {
          failure = error;
          done.abort();
        } else delay = error.delay;
      }
    }
  };
  const editing = isTerminal(run.status) ? Promise.resolve() : edit();
  let end: string | undefined;
  try {
    const stop = AbortSignal.any([signal, done.signal]);
    for await (const item of services.runs.follow(run, { cursor: progress.from })(stop)) {
      if (item.kind === "frames") answer.take(item.bytes, item.first);
      else if (item.kind !== "gap") end = item.kind;
      if (answer.end) break;
    }
  } catch (error) {
    if (!done.signal.aborted) throw error;
  } finally {
    done.abort();
    await editing;
  }
  if (isPosted !== undefined) return again({ ...progress, posted: [isPosted], failures: 0 });
  if (failure !== undefined) throw failure;
  if (answer.end) return undefined;
  signal.throwIfAborted();
  // The log ended without an end: it was deleted or cannot be read, or the database is away.
  return end === "interrupted" || end === undefined ? again(progress, firstRetry) : { kind: "done" };
}

/** Posts what is missing at the end: one post in each attempt, so that its id is recorded. */
async function finish(
  { services, platform, name, options }: DeliveringChannel,
  { run, origin, progress, answer, caller }: Delivery & { readonly caller: Principal },
): Promise<JobOutcome> {
  const { place } = origin;
  const { end } = answer;
  const texts = split(textOf(answer), platform.maxTextLength).filter((text) => text.trim() !== "");
  const question = end?.kind === "paused" ? toMessage(end, run, consolePage(options, run)) : undefined;
  const messages = [...texts.map((text) => ({ text, buttons: undefined })), ...(question ? [question] : [])];
  const [firstId] = progress.posted;
  const [first] = messages;
  if (firstId !== undefined && first && !progress.isSettled)
    await platform.edit(place, firstId, first.text, first.buttons);
  const next = messages[progress.posted.length];
  if (next) {
    const id = await platform.post(place, next.text, next.buttons);
    return again({ ...progress, posted: [...progress.posted, id], isSettled: true, failures: 0 });
  }
  if (end?.kind === "completed") {
    const files = (await services.runs.files(caller, run)).flatMap(toFile);
    const file = files[progress.files];
    if (file) {
      await platform.upload(place, file);
      return again({ ...progress, files: progress.files + 1, failures: 0 });
    }
  }
  if (end?.kind !== "paused") return { kind: "done" };
  services.runtime.log.info({ runId: run.runId, channel: name }, "A run of a chat waits for an answer.");
  return again({ ...progress, waiting: { index: end.index, checks: 0 } }, firstCheck);
}

function textOf({ text, end }: Answer): string {
  if (end?.kind === "failed") return `${text}\n\nThe run failed: ${end.message}`.trim();
  return end?.kind === "cancelled" ? `${text}\n\nThe run was cancelled.`.trim() : text.trim();
}

/** The address of the run's page in the console; undefined if the address of the server is unknown. */
function consolePage({ url }: ChannelOptions, { kind, componentId, runId, sessionId }: RunRow): string | undefined {
  if (url === undefined) return undefined;
  const path = ["console", "runs", kind, componentId, runId].map((part) => encodeURIComponent(part)).join("/");
  return `${url.replace(/\/+$/, "")}/${path}?session=${encodeURIComponent(sessionId)}`;
}

function toMessage(
  { question: { text, isYesOrNo, hint }, index }: Extract<AnswerEnd, { kind: "paused" }>,
  { runId }: Pick<RunRow, "runId">,
  page: string | undefined,
): { readonly text: string; readonly buttons: readonly ChatButton[] | undefined } {
  if (hint !== undefined) return { text: `${text}\n\n${hint}`, buttons: undefined };
  if (!isYesOrNo) {
    return { text: `${text}\n\nAnswer it in the console: ${page ?? `run ${runId}.`}`, buttons: undefined };
  }
  const button = (label: string, isYes: boolean): ChatButton => ({
    label,
    value: buttonValue({ isYes, runId, index }),
    style: isYes ? "primary" : "danger",
  });
  const details = page === undefined ? "" : `\n\nDetails: ${page}`;
  return { text: `Approve?\n${text}${details}`, buttons: [button("Approve", true), button("Reject", false)] };
}

function toFile(
  { data, filename, mediaType, kind }: { data?: string; filename?: string; mediaType: string; kind: string },
  place: number,
): readonly ChatFile[] {
  if (!data) return [];
  return [{ name: filename ?? `${kind}-${place + 1}`, mediaType, bytes: Buffer.from(data, "base64") }];
}
