/** Routes of AI SDK UI: `useChat` of `@ai-sdk/react` and the other clients of the package `ai` use them through `DefaultChatTransport`. */
import { z } from "zod";
import { beginning, type Cursor } from "../../http/streams/frame-cursor.ts";
import { sendStream } from "../../http/streams/sse.ts";
import { reportRun } from "../../http/transport/finished-requests.ts";
import { tokenIn } from "../../http/transport/guard.ts";
import { type Kind, kinds } from "../../http/transport/kinds.ts";
import { setRateHeaders } from "../../http/transport/rate-headers.ts";
import { type Access, type Call, type Operation, type Route, route } from "../../http/transport/route.ts";
import type { RouteServices } from "../../http/transport/services.ts";
import { bodyErrors, storedErrors } from "../../http/transport/statuses.ts";
import type { Principal } from "../../model/principal.ts";
import { isActive } from "../../model/run/run.ts";
import { toTraceContext } from "../../model/trace/propagation.ts";
import type { LocatedRun } from "../../runs/find.ts";
import { authorize, type Chat, latest, send, stop } from "./chats.ts";
import { messagesOf } from "./history.ts";
import { type ChatForm, chatBody, chatPath, componentPath, messagesQuery, streamHeaders } from "./request.ts";
import { messageStream } from "./stream/message-stream.ts";

/** The routes of AI SDK UI; empty if it is off. */
export function aiUiRoutes({ aiUi }: { readonly aiUi: boolean }): readonly Route[] {
  return aiUi ? Object.values(kinds).flatMap(chatRoutes) : [];
}

const defaults: Pick<Operation, "tag" | "security"> = { tag: "AI SDK UI", security: "bearer" };

const streamAnswer = { description: "The UI message stream of the answer", json: "any", eventStream: true } as const;

function chatRoutes(kind: Kind): readonly Route[] {
  const { name, plural } = kind;
  const chats = `/ui/${plural}/{id}`;
  const chat = `${chats}/{chatId}`;
  const starts: Access = { resource: plural, action: "run", idParam: "id" };
  return [
    route({
      method: "POST",
      path: chats,
      access: starts,
      operation: {
        ...defaults,
        id: `chat_with_${name}`,
        summary: `Send the last message of a chat to the ${name}, or answer its paused run, and stream the answer`,
        success: { 200: streamAnswer },
        errors: [...bodyErrors, 409, 429, 502],
        headers: streamHeaders.schema,
      },
      pathParams: componentPath,
      body: chatBody,
      admit: ({ runs }) => runs.checkAcceptance(),
      handle: (call) => sendMessage(kind, call),
    }),
    route({
      method: "GET",
      path: `${chat}/stream`,
      access: starts,
      operation: {
        ...defaults,
        id: `resume_chat_with_${name}`,
        summary: "Resume the stream of the live run of a chat",
        success: { 200: streamAnswer, 204: { description: "No run of the chat is live" } },
        errors: [...storedErrors, 429],
        headers: streamHeaders.schema,
      },
      pathParams: chatPath,
      handle: (call) => resumeStream(kind, call),
    }),
    route({
      method: "POST",
      path: `${chat}/stop`,
      access: starts,
      operation: {
        ...defaults,
        id: `stop_chat_with_${name}`,
        summary: "Cancel the live runs of a chat",
        success: { 200: { description: "The ids of the runs", json: z.object({ stopped: z.array(z.string()) }) } },
        errors: storedErrors,
      },
      pathParams: chatPath,
      handle: async ({ services, caller, path }) => ({ stopped: await stop({ services, caller, kind, ...path }) }),
    }),
    route({
      method: "GET",
      path: `${chat}/messages`,
      access: { resource: plural, action: "read", idParam: "id" },
      operation: {
        ...defaults,
        id: `get_messages_of_chat_with_${name}`,
        summary: "Get the messages of the last runs of a chat, oldest first",
        success: { 200: { description: "Messages in the form of the package ai", json: "any" } },
        errors: storedErrors,
      },
      pathParams: chatPath,
      query: messagesQuery,
      isHeavy: true,
      handle: ({ services, caller, path, query }) => messagesOf({ services, caller, kind, ...path }, query.limit),
    }),
  ];
}

type Reply = Call<unknown, unknown, unknown>["reply"];

async function sendMessage(kind: Kind, call: Call<{ componentId: string }, undefined, ChatForm>): Promise<void> {
  const { services, caller, path, body, request, reply } = call;
  const { idempotencyKey, after } = streamHeaders.read(request.headers, "header");
  const chat: Chat = { services, caller, kind, ...path, chatId: body.chatId };
  await services.runs.pastComponent(caller, { kind: kind.name, componentId: path.componentId });
  const answer = await send(chat, body, {
    token: tokenIn(request),
    trace: toTraceContext(request.headers),
    idempotencyKey,
    onlyIfRepeated: after !== undefined,
  });
  if (answer.rate) setRateHeaders(reply, answer.rate);
  if (answer.isRepeated) reply.header("idempotency-replayed", "true");
  stream(services, caller, reply, answer.run, after ?? answer.after);
}

/** With `Last-Event-ID` also the rest of the last run, if it is over: it may have ended after the connection was cut. */
async function resumeStream(
  kind: Kind,
  { services, caller, path, request, reply }: Call<{ componentId: string; chatId: string }, undefined, undefined>,
): Promise<unknown> {
  const { after } = streamHeaders.read(request.headers, "header");
  const chat: Chat = { services, caller, kind, ...path };
  authorize(chat, "follow");
  const [last] = await latest(chat, 1);
  if (!last || (after === undefined && !isActive(last.status))) return reply.code(204).send();
  stream(services, caller, reply, last, after ?? beginning);
  return undefined;
}

/** Not awaited, and called without the body, whose files would otherwise stay in memory until the run ends. */
function stream(
  { runs, platform, runtime }: RouteServices,
  caller: Principal,
  reply: Reply,
  { key, runId, sessionId }: Pick<LocatedRun, "key" | "runId" | "sessionId">,
  after: Cursor,
): void {
  reportRun(reply.request, { runId, sessionId });
  reply.header("x-run-id", runId);
  reply.header("x-vercel-ai-ui-message-stream", "v1");
  const settings = { heartbeatInterval: platform.settings.heartbeatInterval, log: runtime.log };
  void sendStream(reply, messageStream(runs, caller, { key, runId, sessionId }, after), settings);
}
