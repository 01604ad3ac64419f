/** Starts a run in one of the contract's four ways. The server owns a run: it continues when its client disconnects. */
import type { FastifyRequest } from "fastify";
import { defaultRetryAfter, errorTable, TroupeError } from "../../../errors.ts";
import { inputRefusedType } from "../../../model/run/failure.ts";
import { outputOf } from "../../../model/run/stored-run.ts";
import { toTraceContext } from "../../../model/trace/propagation.ts";
import type { RunRef } from "../../../runs/find.ts";
import { toMedia } from "../../input/media.ts";
import { type StartForm, startHeaders } from "../../input/start-form.ts";
import { failureOf, toAnswer, toRecord } from "../../records/run.ts";
import { onlyEvents, unreadableText } from "../../streams/meta-frames.ts";
import { fromStart } from "../../streams/resume.ts";
import { sendStream, untilGone } from "../../streams/sse.ts";
import { errorBody } from "../../transport/errors.ts";
import { fingerprintOf } from "../../transport/fingerprint.ts";
import { reportRun, reportStart } from "../../transport/finished-requests.ts";
import { tokenIn } from "../../transport/guard.ts";
import { sendJson } from "../../transport/json-pieces.ts";
import type { Kind } from "../../transport/kinds.ts";
import { setRateHeaders } from "../../transport/rate-headers.ts";
import type { Call } from "../../transport/route.ts";
import type { Services } from "../../transport/services.ts";

type StartCall = Call<{ componentId: string }, undefined, StartForm>;

/** The events in a stream of content only (`stream_events=false`). */
const contentEvents: ReadonlySet<string> = new Set(["RunContent", "TeamRunContent"]);

/** Rejects requests that must not start a run, before reading their body. `runs` is the path of the route. */
export function admitStart(runs: string): (services: Services, request: FastifyRequest) => void {
  return (services, { headers }) => {
    services.runs.checkAcceptance();
    if (headers["last-event-id"] && !headers["idempotency-key"]) {
      const advice = `To resume its stream: POST ${runs}/{run_id}/resume, with run_id from the first answer (header x-run-id).`;
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
  const { idempotencyKey: key, lastEventId } = startHeaders.read(request.headers, "header");
  const { files, streamEvents, stream, ...form } = body;
  const component = { kind: kind.name, componentId: path.componentId };
  // An unknown component is reported before any file.
  if (form.version === undefined) services.runs.component(component);
  const run = await services.runs.start(caller, {
    ...form,
    ...component,
    media: [...form.media, ...files.map(toMedia)],
    token: tokenIn(request),
    trace: toTraceContext(request.headers),
    idempotency: key === undefined ? undefined : { key, fingerprint: fingerprint(kind, call) },
    onlyIfRepeated: lastEventId !== undefined,
  });
  if (run.rate) setRateHeaders(reply, run.rate);
  if (run.isRepeated) reply.header("idempotency-replayed", "true");
  if (run.isRepeated) reportRun(request, run);
  else reportStart(request, run);
  // Not awaited, and called without the body: otherwise the body's files would stay in memory until the run ends.
  if (stream || !form.background) {
    return answerRun(kind, { services, caller, reply }, run, { stream, streamEvents, cursor: lastEventId ?? -1 });
  }
  reply.code(202).header("x-run-id", run.runId);
  return { run_id: run.runId, session_id: run.sessionId, status: "PENDING" };
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
  /** Index of the last event that the caller received; any negative number means none. */
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
  return `${request.server.basePath}/${plural}/${encodeURIComponent(id)}/runs/${runId}/resume`;
}

function streamRun(
  kind: Kind,
  { services, reply }: Asked,
  run: RunRef,
  { streamEvents = true, cursor: requested }: AnswerForm,
): void {
  const { runs, platform, runtime } = services;
  const cursor = Math.max(requested, -1);
  const read = { runId: run.runId, kind: kind.name };
  const shown = streamEvents ? fromStart(read) : fromStart(read, onlyContent);
  const follow = runs.follow(run, { cursor });
  void sendStream(
    reply,
    { ...shown, cursor, follow },
    { heartbeatInterval: platform.settings.heartbeatInterval, log: runtime.log },
  );
}

function onlyContent(bytes: Buffer): Buffer {
  return onlyEvents(bytes, contentEvents);
}

/** The record of the run when it ends or pauses. The response to a failed run is 500, or 400 if its input was refused, with the run's record in addition to the error. */
async function finishedRun(
  kind: Kind,
  { services, caller, reply }: Asked,
  run: AnsweredRun,
  show: typeof toRecord,
): Promise<unknown> {
  const end = await services.runs.waitForEnd(run, untilGone(reply.raw));
  if (end?.kind === "interrupted") {
    const message = `The run ${run.runId} continues, but this server cannot wait for it. Follow it instead of starting it again.`;
    reply
      .code(503)
      .header("retry-after", String(defaultRetryAfter))
      .header("location", resumeRoute(kind, reply, run));
    return { ...errorBody("runContinues", message), run_id: run.runId, session_id: run.sessionId };
  }
  if (end?.kind === "unreadable") throw new TroupeError("internal", unreadableText(run.runId));
  if (end?.kind === "deleted") throw new TroupeError("notFound", "Run not found");
  if (end === undefined) return {};
  const family =
    (end.kind === "end" ? services.runs.takeAnswered(run, end.status) : undefined) ??
    (await reply.server.heavyReads.take(caller, () => services.runs.read(caller, run)));
  if (!family) throw new TroupeError("notFound", "Run not found");
  if (family.run.status !== "ERROR") return sendJson(reply, show(family));
  // The failure was the remote server's, so the client may retry.
  const type = outputOf(family.run).error?.type;
  if (type === "remote_unavailable") {
    reply.code(502);
    return sendJson(reply, { ...errorBody("badGateway", failureOf(family.run)), ...show(family) });
  }
  // The caller's input was refused: the same input would be refused again.
  const name = type === inputRefusedType ? "runRefused" : "runFailed";
  reply.code(errorTable[name].status);
  const failed = errorBody(name, failureOf(family.run));
  return sendJson(reply, { ...failed, ...show(family), ...failed });
}
