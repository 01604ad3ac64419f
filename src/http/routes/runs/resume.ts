/** Resumes the stream of a run. */
import { isFactory } from "../../../define/factory.ts";
import { TroupeError } from "../../../errors.ts";
import { requireSession } from "../../../runs/find.ts";
import { lastEventId, type ResumeForm } from "../../requests/resume.ts";
import { fromCursor } from "../../streams/resume.ts";
import { sendStream } from "../../streams/sse.ts";
import { reportRun } from "../../transport/finished-requests.ts";
import type { Kind } from "../../transport/kinds.ts";
import type { Call } from "../../transport/route.ts";

type ResumeCall = Call<{ componentId: string; runId: string }, undefined, ResumeForm>;

/** `POST …/resume`. The index in the form takes precedence over the header. */
export async function resumeRun(kind: Kind, call: ResumeCall): Promise<void> {
  const { services, caller, path, body, request, reply } = call;
  const { runs, platform, runtime } = services;
  const fromHeader = lastEventId.read(request.headers, "header");
  requireSession(caller, body.sessionId, "unless-admin");
  const entry = services.registry.find(kind.name, path.componentId);
  if (entry && "resumable" in entry && !entry.resumable) {
    const what = isFactory(entry) ? "factory" : "remote";
    throw new TroupeError("badRequest", `Stream resumption is not supported for ${what} ${kind.plural}`);
  }
  const run = await runs.find(caller, { ...path, kind: kind.name, sessionId: body.sessionId });
  reportRun(request, run);
  const head = await runs.head(run);
  if (!head) throw new TroupeError("notFound", "Run not found");
  const shown = fromCursor({ runId: run.runId, kind: kind.name }, head, body.lastEventIndex ?? fromHeader);
  reply.header("x-run-id", run.runId);
  void sendStream(
    reply,
    { ...shown, follow: runs.follow(run, { cursor: shown.cursor, acrossPauses: body.acrossPauses }) },
    { heartbeatInterval: platform.settings.heartbeatInterval, log: runtime.log },
  );
}
