/** The route that puts a message into a live run. */
import { z } from "zod";
import { wireRunStatuses } from "../../../model/run/run.ts";
import { steeringModes } from "../../../model/run/steering.ts";
import { named } from "../../input/named-schemas.ts";
import { idempotencyHeader, idempotencyOf } from "../../requests/idempotency.ts";
import { type MessageForm, messageBody } from "../../requests/messages.ts";
import { runPath } from "../../requests/queries.ts";
import { reportRun } from "../../transport/finished-requests.ts";
import type { Kind } from "../../transport/kinds.ts";
import { type Call, type Route, route } from "../../transport/route.ts";
import { bodyErrors } from "../../transport/statuses.ts";

type MessageCall = Call<{ componentId: string; runId: string }, undefined, MessageForm>;

const accepted = z.object({
  message_id: z.string(),
  run_id: z.string(),
  session_id: z.string(),
  mode: z.enum(steeringModes),
  run_status: z.enum(wireRunStatuses).describe("State of the run when it accepted the message."),
});

const response: z.ZodType = named("AcceptedMessage", accepted);

/** `POST …/runs/{run_id}/messages` for a component kind. */
export function messageRoute(kind: Kind): Route {
  const { name, plural, idParam, tag } = kind;
  return route({
    method: "POST",
    path: `/${plural}/{${idParam}}/runs/{run_id}/messages`,
    access: { resource: plural, action: "run", idParam },
    operation: {
      id: `send_${name}_run_message`,
      tag,
      summary:
        name === "workflow"
          ? "Runs of workflows take no messages: always 409, or 404 for an unknown run"
          : "Put a user message into a live run; the run takes it before its next model request",
      security: "bearer",
      success: { 202: { description: "The message is durable", json: response } },
      errors: [...bodyErrors, 409, 429],
      headers: idempotencyHeader.schema,
    },
    pathParams: runPath(idParam),
    body: messageBody(name),
    handle: (call) => sendMessage(kind, call),
  });
}

async function sendMessage(
  kind: Kind,
  { services, caller, path, body, request, reply }: MessageCall,
): Promise<z.input<typeof accepted>> {
  const { message, mode, sessionId } = body;
  const idempotency = idempotencyOf(request.headers, [kind.name, path.componentId, message, mode]);
  const name = { ...path, kind: kind.name, sessionId };
  const sent = await services.runs.steer(caller, name, { message, mode, idempotency, sessionRule: "isolated" });
  reportRun(request, sent.run);
  if (sent.isRepeated) reply.header("idempotency-replayed", "true");
  reply.code(202);
  const { runId, sessionId: session } = sent.run;
  return { message_id: sent.messageId, run_id: runId, session_id: session, mode: sent.mode, run_status: sent.status };
}
