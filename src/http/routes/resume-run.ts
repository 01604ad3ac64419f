/** Resumes the stream of a run. */
import { isFactory } from "../../define/factory.ts";
import { TroupeError } from "../../errors.ts";
import { sessionFor } from "../../model/principal.ts";
import { lastEventId, type ResumeForm } from "../requests/resume.ts";
import { fromCursor } from "../streams/resume.ts";
import { followFrom, sendStream } from "../streams/sse.ts";
import type { Call } from "../transport/route.ts";
import type { Kind } from "./kinds.ts";
import { runInPath } from "./read-runs.ts";

type ResumeCall = Call<{ componentId: string; runId: string }, undefined, ResumeForm>;

/** `POST …/resume`. The index in the form takes precedence over the header. */
export async function resumeRun(kind: Kind, call: ResumeCall): Promise<void> {
  const { services, body, request, reply } = call;
  const { logs, platform, runtime } = services;
  const fromHeader = lastEventId.read(request.headers, "header");
  if (!call.caller.isAdmin && sessionFor(call.caller, body.sessionId) === undefined) {
    throw new TroupeError("badRequest", "session_id is required for this action");
  }
  const entry = services.registry.find(kind.name, call.path.componentId);
  if (entry && "resumable" in entry && !entry.resumable) {
    const what = isFactory(entry) ? "factory" : "remote";
    throw new TroupeError("badRequest", `Stream resumption is not supported for ${what} ${kind.plural}`);
  }
  const run = await runInPath(kind, call, body.sessionId);
  const head = await logs.head(run.key);
  if (!head) throw new TroupeError("notFound", "Run not found");
  const shown = fromCursor({ runId: run.runId, kind: kind.name }, head, body.lastEventIndex ?? fromHeader);
  reply.header("x-run-id", run.runId);
  void sendStream(
    reply,
    { ...shown, follow: followFrom(logs, run.key, { cursor: shown.cursor, acrossPauses: body.acrossPauses }) },
    { heartbeatInterval: platform.settings.heartbeatInterval, log: runtime.log },
  );
}
