/** Starts a run in one of the contract's four ways. The server owns a run: it continues when its client disconnects. */
import type { FastifyRequest } from "fastify";
import { isRemote } from "../../define/remote.ts";
import { defaultRetryAfter, TroupeError } from "../../errors.ts";
import type { Settings } from "../../model/settings.ts";
import type { RunRef } from "../../store/contract/store.ts";
import { attributedUser } from "../callers/attribution.ts";
import { forwardedToken } from "../callers/forwarded-token.ts";

import { fingerprintOf } from "../input/fingerprint.ts";
import { toMedia } from "../input/media.ts";
import { tooLarge, uploadTooLarge } from "../input/refusals.ts";
import { failureOf, outputOf, toAnswer, toRecord } from "../records/run.ts";
import { type StartForm, startHeaders } from "../requests/start.ts";
import { onlyEvents } from "../streams/meta-frames.ts";
import { fromStart, unreadableText } from "../streams/resume.ts";
import { beyondAnyEnd, followFrom, sendStream, waitForEnd } from "../streams/sse.ts";
import { errorBody } from "../transport/errors.ts";
import { sendJson } from "../transport/json-pieces.ts";
import type { Call } from "../transport/route.ts";
import type { Services } from "../transport/services.ts";
import { hosted, type Kind } from "./kinds.ts";
import { readFamily } from "./read-runs.ts";

type StartCall = Call<{ componentId: string }, undefined, StartForm>;

/** The events in a stream of content only (`stream_events=false`). */
const contentEvents: ReadonlySet<string> = new Set(["RunContent", "TeamRunContent"]);

/** Rejects requests that must not start a run, before reading their body. `runs` is the path of the route. */
export function admitStart(runs: string): (services: Services, request: FastifyRequest) => void {
  return ({ engine }, { headers }) => {
    const { acceptance } = engine;
    if (!acceptance.open) {
      throw new TroupeError("unavailable", acceptance.reason, { retryAfter: acceptance.retryAfter });
    }
    if (headers["last-event-id"] && !headers["idempotency-key"]) {
      const advice = `To go on with its stream: POST ${runs}/{run_id}/resume, with run_id from the first answer (header x-run-id).`;
      throw new TroupeError(
        "badRequest",
        `Nothing was started: Last-Event-ID says that a run was started before. ${advice}`,
      );
    }
  };
}

/** Starts the run and answers in the requested form. */
export async function startRun(kind: Kind, call: StartCall): Promise<unknown> {
  const { services, caller, path, body, request, reply } = call;
  const { engine, platform } = services;
  const { idempotencyKey, lastEventId } = startHeaders.read(request.headers, "header");
  const entry = hosted(services, kind, path.componentId);
  // Schedules ask for background execution of every component; a remote run that a schedule starts begins at once, too.
  const isScheduled = request.ticket?.runId !== undefined;
  if (body.background && isRemote(entry) && !isScheduled)
    throw new TroupeError("badRequest", `Background execution is not supported for remote ${kind.plural}`);
  refuseTooLarge(body, platform.settings);
  const run = await engine.start(caller, {
    kind: kind.name,
    componentId: path.componentId,
    message: body.message,
    media: [...body.media, ...body.files.map(toMedia)],
    sessionId: body.sessionId,
    userId: attributedUser(caller, body.userId),
    options: body.options,
    bearer: forwardedToken(services, request),
    execution: body.background && !body.stream && !isRemote(entry) ? "dispatch" : "now",
    idempotency:
      idempotencyKey === undefined ? undefined : { key: idempotencyKey, fingerprint: fingerprint(kind, call) },
    runId: request.ticket?.runId,
    onlyIfRepeated: lastEventId !== undefined,
  });
  if (run.isRepeated) reply.header("idempotency-replayed", "true");
  const { stream, streamEvents } = body;
  // Not awaited, and called without the body, whose files would otherwise stay in memory until the run ends.
  if (stream || !body.background) {
    return answerRun(kind, { services, caller, reply }, run, { stream, streamEvents, cursor: lastEventId ?? -1 });
  }
  reply.code(202).header("x-run-id", run.runId);
  return { run_id: run.runId, session_id: run.sessionId, status: "PENDING" };
}

function refuseTooLarge({ message, files, media }: StartForm, { maxMessageBytes, maxUploadBytes }: Settings): void {
  if (Buffer.byteLength(message) > maxMessageBytes) throw tooLarge("The message", maxMessageBytes);
  const uploaded = files.reduce((sum, { data }) => sum + data.length, 0);
  const listed = media.reduce((sum, { data = "" }) => sum + Buffer.byteLength(data, "base64"), 0);
  if (uploaded + listed > maxUploadBytes) throw uploadTooLarge(maxUploadBytes);
}

/** Hash of the request's content, including the uploaded files. */
function fingerprint({ name }: Kind, { path, body: { files, ...asked } }: StartCall): string {
  return fingerprintOf([name, path.componentId, asked], (hash) => {
    for (const { data, ...file } of files) hash.update(JSON.stringify([file, data.length])).update(data);
  });
}

/** The form of the answer for a run that was started or continued. */
export interface AnswerForm {
  readonly stream: boolean;
  /** False leaves only content events in the stream. */
  readonly streamEvents?: boolean;
  /** Index of the last event that the caller received. */
  readonly cursor: number;
  /** Whether the run continues after a pause: its record then includes the events so far. */
  readonly isContinued?: boolean;
}

type Asked = Pick<StartCall, "services" | "caller" | "reply">;

type AnsweredRun = RunRef & { readonly sessionId: string };

/** Streams the run from a cursor on, or returns its record when it ends or pauses. */
export function answerRun(kind: Kind, call: Asked, run: AnsweredRun, form: AnswerForm): Promise<unknown> | undefined {
  const asked = { services: call.services, caller: call.caller, reply: call.reply };
  asked.reply.header("x-run-id", run.runId);
  if (!form.stream) return finishedRun(kind, asked, run, form.isContinued ? toRecord : toAnswer);
  streamRun(kind, asked, run, form);
  return undefined;
}

/** The path of the run's resume route. */
function resumeRoute({ plural, idParam }: Kind, { request }: Asked["reply"], { runId }: RunRef): string {
  const id = (request.params as Readonly<Record<string, string>>)[idParam] ?? "";
  return `/${plural}/${encodeURIComponent(id)}/runs/${runId}/resume`;
}

function streamRun(
  kind: Kind,
  { services, reply }: Asked,
  run: RunRef,
  { streamEvents = true, cursor }: AnswerForm,
): void {
  const { logs, platform, runtime } = services;
  const read = { runId: run.runId, kind: kind.name };
  const shown = streamEvents ? fromStart(read) : fromStart(read, onlyContent);
  const follow = followFrom(logs, run.key, { cursor });
  void sendStream(
    reply,
    { ...shown, cursor, follow },
    { heartbeatInterval: platform.settings.heartbeatInterval, log: runtime.log },
  );
}

function onlyContent(bytes: Buffer): Buffer {
  return onlyEvents(bytes, contentEvents);
}

/** The record of the run when it ends or pauses. A failed run is answered with 500, and its record beside the error. */
async function finishedRun(
  kind: Kind,
  { services, caller, reply }: Asked,
  run: AnsweredRun,
  show: typeof toRecord,
): Promise<unknown> {
  const { logs } = services;
  const end = await waitForEnd(reply.raw, followFrom(logs, run.key, { cursor: beyondAnyEnd }));
  if (end?.kind === "interrupted") {
    const message = `The run ${run.runId} goes on, but this server cannot wait for it. Follow it instead of starting it again.`;
    reply
      .code(503)
      .header("retry-after", String(defaultRetryAfter))
      .header("location", resumeRoute(kind, reply, run));
    return { ...errorBody("runContinues", message), run_id: run.runId, session_id: run.sessionId };
  }
  if (end?.kind === "unreadable") throw new TroupeError("internal", unreadableText(run.runId));
  if (end?.kind === "deleted") throw new TroupeError("notFound", "Run not found");
  if (end === undefined) return {};
  const family = await reply.server.heavyReads.take(caller, () => readFamily(services, caller, run));
  if (!family) throw new TroupeError("notFound", "Run not found");
  if (family.run.status !== "ERROR") return sendJson(reply, show(family));
  // The failure was the remote server's, so the client may retry.
  if (outputOf(family.run).error?.type === "remote_unavailable") {
    reply.code(502);
    return sendJson(reply, { ...errorBody("badGateway", failureOf(family.run)), ...show(family) });
  }
  reply.code(500);
  return sendJson(reply, { ...errorBody("runFailed", failureOf(family.run)), ...show(family) });
}
