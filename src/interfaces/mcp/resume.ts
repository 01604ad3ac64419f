/** `GET /mcp`: continues the stream of a call after the event that the client received last. Any replica can continue it. */
import { sendStream } from "../../http/streams/sse.ts";
import { reportRun } from "../../http/transport/finished-requests.ts";
import type { Call } from "../../http/transport/route.ts";
import { parseEventId } from "./stream/cursor.ts";
import { callStream } from "./stream/run-stream.ts";

/** @throws TroupeError `forbidden`, `notFound` */
export async function resumeCall({
  services,
  caller,
  request,
  reply,
}: Call<undefined, undefined, undefined>): Promise<unknown> {
  const lastEventId = request.headers["last-event-id"];
  // The server sends nothing on its own, so there is no stream without a call.
  if (typeof lastEventId !== "string" || lastEventId === "") {
    const text = "There is no stream without a call: GET continues one, and needs the header Last-Event-ID.";
    return reply.code(405).header("allow", "POST").send(errorBody(-32000, text));
  }
  const place = parseEventId(lastEventId);
  if (!place) return reply.code(400).send(errorBody(-32600, "Last-Event-ID is not the id of an event of this server."));
  const { call, after } = place;
  services.runs.authorize(caller, "follow", call);
  const run = await services.runs.find(caller, call);
  reportRun(request, run);
  reply.header("x-run-id", run.runId);
  const { heartbeatInterval } = services.platform.settings;
  const stream = callStream(services.runs, caller, run, { call, after, isPrimed: false });
  void sendStream(reply, stream, { heartbeatInterval, log: services.runtime.log });
  return undefined;
}

function errorBody(code: number, message: string): object {
  return { jsonrpc: "2.0", id: null, error: { code, message } };
}
