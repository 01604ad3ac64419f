/** Another server with the AgentOS interface. Runs are started there in the background, so that they outlive the connection. */
import type { Remote } from "../../define/remote.ts";
import { itemsOf } from "./media.ts";
import { readText, sendUpstream, type UpstreamRequest, type UpstreamResponse } from "./request.ts";
import { readFrames } from "./sse.ts";
import type {
  Upstream,
  UpstreamCall,
  UpstreamEvent,
  UpstreamEvents,
  UpstreamParts,
  UpstreamStart,
} from "./upstream.ts";
import { UpstreamRefusal, UpstreamUnreachable } from "./upstream-errors.ts";

/** Returns the server behind a remote component that speaks this interface. */
export function agentOsUpstream(remote: Remote, parts: UpstreamParts): Upstream {
  const { kind, target } = remote;
  const componentPath = `/${kind}s/${encodeURIComponent(target.remoteId)}`;
  const runPath = (runId: string): string => `${componentPath}/runs/${encodeURIComponent(runId)}`;
  const sendRequest = (request: UpstreamRequest, call: UpstreamCall): Promise<UpstreamResponse> =>
    sendUpstream(remote, parts, request, call);
  return {
    async start(start, call) {
      const headers = { accept: "text/event-stream", "idempotency-key": start.key };
      const request = { method: "POST", path: `${componentPath}/runs`, headers } as const;
      try {
        return startedBy(await sendRequest({ ...request, fields: toForm(start, true) }, call), start);
      } catch (error) {
        // A server that itself only relays runs, or that has no database, supports only plain streams.
        if (!(error instanceof UpstreamRefusal && error.status === 400 && /background/i.test(error.message)))
          throw error;
        return startedBy(await sendRequest({ ...request, fields: toForm(start, false) }, call), start);
      }
    },
    async resume({ runId, sessionId }, cursor, call) {
      const fields = { last_event_index: String(cursor), session_id: sessionId };
      return eventsOf(await sendRequest({ method: "POST", path: `${runPath(runId)}/resume`, fields }, call));
    },
    async cancel({ runId, sessionId }, call) {
      const query = new URLSearchParams({ session_id: sessionId });
      const { response } = await sendRequest({ method: "POST", path: `${runPath(runId)}/cancel?${query}` }, call);
      await response.body?.cancel();
    },
    async describe(call) {
      const answer = await sendRequest(
        { method: "GET", path: componentPath, headers: { accept: "application/json" } },
        call,
      );
      const shown: unknown = JSON.parse(await readText(answer));
      if (typeof shown === "object" && shown !== null && !Array.isArray(shown)) return shown as Record<string, unknown>;
      throw new UpstreamUnreachable("it did not answer with an object");
    },
  };
}

/** Meta frames describe the stream there, not the run. */
const metaFrames: ReadonlySet<string> = new Set(["catch_up", "subscribed", "replay"]);

/** The name becomes a line of this server's own frames. */
const eventName = /^\w{1,100}$/;

async function* eventsIn(answer: UpstreamResponse): AsyncGenerator<UpstreamEvent, void> {
  const { response, touch, stop } = answer;
  try {
    for await (const { event, data } of readFrames(response.body ?? emptyBody(), touch)) {
      if (metaFrames.has(event)) continue;
      const fields = parsed(data);
      if (event === "gap") throw new UpstreamRefusal(410, "events of the run are no longer kept there");
      if (event === "error") {
        const status = fields.error_code === "INTERNAL_SERVER_ERROR" ? 500 : 404;
        throw new UpstreamRefusal(status, String(fields.error ?? "the run is not there any more"));
      }
      // The record that follows a workflow's pause is not an event.
      if (typeof fields.event !== "string") continue;
      if (!eventName.test(fields.event)) throw new UpstreamRefusal(422, "it sent an event whose name is no word");
      yield { data, index: typeof fields.event_index === "number" ? fields.event_index : undefined };
    }
  } finally {
    stop();
  }
}

function eventsOf(answer: UpstreamResponse): AsyncIterable<UpstreamEvent> {
  const type = answer.response.headers.get("content-type") ?? "";
  if (type.startsWith("text/event-stream")) return eventsIn(answer);
  answer.stop();
  void answer.response.body?.cancel().catch(() => undefined);
  throw new UpstreamUnreachable("it did not answer with a stream of events");
}

/** Some servers send the run's id in a header of the response. */
function startedBy(answer: UpstreamResponse, { sessionId }: UpstreamStart): UpstreamEvents {
  const runId = answer.response.headers.get("x-run-id");
  return Object.assign(eventsOf(answer), { run: runId ? { runId, sessionId } : undefined });
}

async function* emptyBody(): AsyncGenerator<Uint8Array, void> {}

function parsed(data: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(data);
    if (typeof value === "object" && value !== null) return value as Record<string, unknown>;
  } catch {
    // Reported below.
  }
  throw new UpstreamRefusal(422, "it sent an event that is no JSON");
}

function toForm(
  { message, media, sessionId, userId, options }: UpstreamStart,
  background: boolean,
): Readonly<Record<string, string>> {
  const objects = {
    session_state: options.sessionState,
    dependencies: options.dependencies,
    metadata: options.metadata,
    output_schema: options.outputSchema,
    knowledge_filters: options.knowledgeFilters,
    factory_input: options.factoryInput,
    images: itemsOf(media, "image"),
    audio: itemsOf(media, "audio"),
    videos: itemsOf(media, "video"),
    input_files: itemsOf(media, "file"),
  };
  const texts = Object.entries(objects).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, JSON.stringify(value)]],
  );
  return {
    message,
    stream: "true",
    background: String(background),
    session_id: sessionId,
    ...(userId === null ? {} : { user_id: userId }),
    ...(options.databaseId === undefined ? {} : { db_id: options.databaseId }),
    ...Object.fromEntries(texts),
  };
}
