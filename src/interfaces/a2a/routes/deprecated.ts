/** `POST /a2a/message/…`: the message or a header names the component, not the path. */
import { z } from "zod";
import { TroupeError } from "../../../errors.ts";
import { type Reader, reader } from "../../../http/input/decode.ts";
import { identifier } from "../../../http/input/identifiers.ts";
import { kinds } from "../../../http/transport/kinds.ts";
import { type Call, type Route, route } from "../../../http/transport/route.ts";
import { messageHeadersSchema } from "../message-headers.ts";
import { type MessageForm, sendBody, streamBody } from "../requests.ts";
import type { Endpoint } from "../task-service.ts";
import { messageErrors, operationDefaults, sendAnswers, streamAnswer } from "./messages.ts";
import { sendMessage, streamMessage } from "./send-message.ts";

const header: Reader<string | undefined> = reader(
  z.object({ "x-agent-id": identifier.nullish() }),
  (fields) => fields["x-agent-id"] ?? undefined,
);

const headers = messageHeadersSchema.extend(header.schema.shape);

/** As recorded: callers need the scope to run agents, and the scope to run the component that they name. */
const access = { resource: "agents", action: "run" } as const;

export const deprecatedRoutes: readonly Route[] = [
  route({
    method: "POST",
    path: "/a2a/message/send",
    access,
    operation: {
      ...operationDefaults,
      id: "send_message",
      summary: "Deprecated: send a message to the component that the message names, and wait for the task",
      success: sendAnswers,
      errors: messageErrors,
      headers,
    },
    body: sendBody,
    waits: true,
    handle: (call) => sendMessage(endpointOf("message:send", call), call),
  }),
  route({
    method: "POST",
    path: "/a2a/message/stream",
    access,
    operation: {
      ...operationDefaults,
      id: "stream_message",
      summary: "Deprecated: send a message to the component that the message names, and stream the task",
      success: streamAnswer,
      errors: messageErrors,
      headers,
    },
    body: streamBody,
    handle: (call) => streamMessage(endpointOf("message:stream", call), call),
  }),
];

/** The component that the request names, if the caller may run it. @throws TroupeError `badRequest`, `notFound`, `forbidden` */
function endpointOf(method: string, call: Call<undefined, undefined, MessageForm>): Endpoint {
  const { services, caller, body, request } = call;
  const id = body.agentId ?? header.read(request.headers, "header");
  if (id === undefined) {
    const text = "Entity ID required. Provide 'agentId' in params.message or 'X-Agent-ID' header.";
    throw new TroupeError("badRequest", text);
  }
  const kindName = services.runs.kindOf(id);
  if (!kindName) throw new TroupeError("notFound", `Agent, Team, or Workflow with ID '${id}' not found`);
  const kind = kinds[kindName];
  const { gate } = services;
  const path = `/a2a/${kind.plural}/{id}/v1/${method}`;
  try {
    gate.check(caller, gate.requiredScopesOf({ method: "POST", path, resource: kind.plural, action: "run" }), id);
  } catch (error) {
    if (!(error instanceof TroupeError && error.code === "forbidden")) throw error;
    throw new TroupeError("forbidden", `Insufficient permissions to run this ${kind.name}`);
  }
  return { services, caller, kind, componentId: id };
}
