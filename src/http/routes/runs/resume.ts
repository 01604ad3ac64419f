/** Streams of the events of a run that exists: `POST …/resume`, and `GET …/events` for readers. */
import { isFactory } from "../../../define/factory.ts";
import { TroupeError } from "../../../errors.ts";
import { requireSession } from "../../../runs/find.ts";
import { lastEventId, type ResumeForm } from "../../requests/resume.ts";
import { fromCursor } from "../../streams/resume.ts";
import { sendStream } from "../../streams/sse.ts";
import { reportRun } from "../../transport/finished-requests.ts";
import type { Kind } from "../../transport/kinds.ts";
import type { Call } from "../../transport/route.ts";

type RunPath = { readonly componentId: string; readonly runId: string };
type ResumeCall = Call<RunPath, undefined, ResumeForm>;
type EventsCall = Call<RunPath, ResumeForm, undefined>;

/** `POST …/resume`. The index in the form takes precedence over the header. */
export async function resumeRun(kind: Kind, call: ResumeCall): Promise<void> {
  const { services, caller, path, body, request } = call;
  const fromHeader = lastEventId.read(request.headers, "header");
  requireSession(caller, body.sessionId, "unless-admin");
  const entry = services.registry.find(kind.name, path.componentId);
  if (entry && "resumable" in entry && !entry.resumable) {
    const what = isFactory(entry) ? "factory" : "remote";
    throw new TroupeError("badRequest", `Stream resumption is not supported for ${what} ${kind.plural}`);
  }
  await sendEvents(kind, call, { ...body, lastEventIndex: body.lastEventIndex ?? fromHeader });
}

/** `GET …/events`. The index in the query takes precedence over the header. The log is stored for every kind of component, so that none is excluded. */
export async function readEvents(kind: Kind, call: EventsCall): Promise<void> {
  const { caller, query, request } = call;
  const fromHeader = lastEventId.read(request.headers, "header");
  requireSession(caller, query.sessionId, "unless-admin");
  await sendEvents(kind, call, { ...query, lastEventIndex: query.lastEventIndex ?? fromHeader });
}

/** Finds the run for its caller, and streams its events after the cursor. */
async function sendEvents(
  kind: Kind,
  { services, caller, path, request, reply }: Pick<ResumeCall, "services" | "caller" | "path" | "request" | "reply">,
  { sessionId, lastEventIndex, acrossPauses }: ResumeForm,
): Promise<void> {
  const { runs, platform, runtime } = services;
  const run = await runs.find(caller, { ...path, kind: kind.name, sessionId });
  reportRun(request, run);
  const head = await runs.head(run);
  if (!head) throw new TroupeError("notFound", "Run not found");
  const shown = fromCursor({ runId: run.runId, kind: kind.name }, head, lastEventIndex);
  reply.header("x-run-id", run.runId);
  void sendStream(
    reply,
    { ...shown, follow: runs.follow(run, { cursor: shown.cursor, acrossPauses }) },
    { heartbeatInterval: platform.settings.heartbeatInterval, log: runtime.log },
  );
}
