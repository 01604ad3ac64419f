/** `/v1/responses`: creates, reads, cancels and deletes responses. A response is a part of a run, from its start or an answer to its end or a question. */
import type { FastifyReply } from "fastify";
import { sendStream, untilGone } from "../../../http/streams/sse.ts";
import { reportRun, reportStart } from "../../../http/transport/finished-requests.ts";
import { type Call, type Route, route } from "../../../http/transport/route.ts";
import type { RouteServices } from "../../../http/transport/services.ts";
import { toJsonLine } from "../../../model/frame.ts";
import { toErrorAnswer } from "../errors.ts";
import {
  itemsQuery,
  type ReadQuery,
  type ResponseRequest,
  readQuery,
  responseBody,
  responsePath,
} from "../input/response.ts";
import { inputItems } from "../input-items.ts";
import { load, locate, type Requested, send } from "../run-service.ts";
import { storedResponse } from "../stored-response.ts";
import { partStream, readToEnd } from "../stream/follow.ts";
import { type ResponseFacts, ResponseTranslator } from "../stream/response.ts";
import { errorAnswers, routeDefaults } from "./defaults.ts";

type CreateCall = Call<undefined, undefined, ResponseRequest>;
type ReadCall = Call<{ readonly responseId: string }, ReadQuery, undefined>;

const one = "/v1/responses/{response_id}";
const found = errorAnswers(400, 401, 404, 500, 503);

export const responseRoutes: readonly Route[] = [
  route({
    method: "POST",
    path: "/v1/responses",
    access: "caller",
    errorForm: toErrorAnswer,
    operation: {
      ...routeDefaults,
      id: "openai_create_response",
      summary: "Send a message to a component, or the answers that its run waits for",
      success: {
        200: { description: "The response, or its stream", json: "any", eventStream: true },
        ...errorAnswers(400, 401, 403, 404, 409, 413, 429, 500, 503),
      },
    },
    body: responseBody,
    admit: ({ runs }) => runs.checkAcceptance(),
    handle: createResponse,
  }),
  route({
    method: "GET",
    path: one,
    access: "caller",
    errorForm: toErrorAnswer,
    operation: {
      ...routeDefaults,
      id: "openai_get_response",
      summary: "Read a response, or resume its stream after the last received event",
      success: { 200: { description: "The response, or its stream", json: "any", eventStream: true }, ...found },
    },
    pathParams: responsePath,
    query: readQuery,
    handle: readResponse,
  }),
  route({
    method: "DELETE",
    path: one,
    access: "caller",
    errorForm: toErrorAnswer,
    operation: {
      ...routeDefaults,
      id: "openai_delete_response",
      summary: "Delete the run of a response; a run in progress is cancelled first",
      success: { 200: { description: "Deleted", json: "any" }, ...found },
    },
    pathParams: responsePath,
    async handle({ services, caller, path }) {
      const { run } = await locate({ services, caller }, path.responseId, "delete");
      await services.runs.delete(caller, run);
      return { id: path.responseId, object: "response", deleted: true };
    },
  }),
  route({
    method: "POST",
    path: `${one}/cancel`,
    access: "caller",
    errorForm: toErrorAnswer,
    operation: {
      ...routeDefaults,
      id: "openai_cancel_response",
      summary: "Cancel the run of a response; a finished run does not change",
      success: { 200: { description: "The response", json: "any" }, ...found },
    },
    pathParams: responsePath,
    waits: true,
    async handle({ services, caller, path, reply }) {
      const { run } = await locate({ services, caller }, path.responseId, "cancel");
      await services.runs.cancelAndWait(caller, run);
      return await readWhole({ services, caller }, path.responseId, reply);
    },
  }),
  route({
    method: "GET",
    path: `${one}/input_items`,
    access: "caller",
    errorForm: toErrorAnswer,
    operation: {
      ...routeDefaults,
      id: "openai_list_input_items",
      summary: "List the input of the run of a response",
      success: { 200: { description: "Items", json: "any" }, ...found },
    },
    pathParams: responsePath,
    query: itemsQuery,
    isHeavy: true,
    async handle({ services, caller, path, query }) {
      const response = await locate({ services, caller }, path.responseId, "read");
      return await inputItems({ services, caller }, response, query);
    },
  }),
];

async function createResponse({ services, caller, request, reply, body }: CreateCall): Promise<unknown> {
  const { stream, background } = body;
  const { key, isRepeated, ...facts } = await send({ services, caller, request }, body);
  if (facts.first === 0 && !isRepeated) reportStart(request, facts);
  else reportRun(request, facts);
  reply.header("x-run-id", facts.runId);
  if (isRepeated) reply.header("idempotency-replayed", "true");
  // Not awaited here: the body would stay in memory for as long as the run.
  return answer({ services, reply }, { key, facts }, { stream, background });
}

interface Begun {
  readonly key: number;
  readonly facts: ResponseFacts;
}

function answer(
  { services, reply }: Pick<CreateCall, "services" | "reply">,
  begun: Begun,
  { stream, background }: Pick<ResponseRequest, "stream" | "background">,
): Promise<unknown> | unknown {
  if (stream) return streamResponse(services, reply, begun, -1);
  const translator = new ResponseTranslator(begun.facts);
  if (background) return sendText(reply, translator.response(begun.facts.first === 0 ? "queued" : "in_progress"));
  return readToEnd(services.runs, { ...begun.facts, key: begun.key }, translator, untilGone(reply.raw)).then(
    (isWhole) => (isWhole ? sendText(reply, translator.response()) : {}),
  );
}

function streamResponse(services: RouteServices, reply: FastifyReply, { key, facts }: Begun, after: number): undefined {
  const { runs, platform, runtime } = services;
  const translator = new ResponseTranslator(facts, after);
  const next = (): number => translator.sequenceNumber + 1;
  const stream = partStream(runs, { ...facts, key }, translator, {
    interrupted: () => `: interrupted, resume with starting_after=${translator.sequenceNumber}\n\n`,
    failed: (code, message) =>
      `event: error\ndata: ${toJsonLine({ type: "error", code, message, param: null, sequence_number: next() })}\n\n`,
  });
  void sendStream(reply, stream, { heartbeatInterval: platform.settings.heartbeatInterval, log: runtime.log });
  return undefined;
}

async function readResponse({ services, caller, path, query, request, reply }: ReadCall): Promise<unknown> {
  const response = await locate({ services, caller }, path.responseId, query.stream ? "follow" : "read");
  reportRun(request, response.run);
  if (!query.stream) return await readWhole({ services, caller }, path.responseId, reply);
  const { row, facts } = await load({ services, caller }, response);
  return streamResponse(services, reply, { key: row.key, facts }, query.after);
}

async function readWhole(
  requested: Pick<Requested, "services" | "caller">,
  responseId: string,
  reply: FastifyReply,
): Promise<unknown> {
  const response = await locate(requested, responseId, "read");
  const text = await reply.server.heavyReads.take(requested.caller, () => storedResponse(requested, response));
  return sendText(reply, text);
}

function sendText(reply: FastifyReply, json: string): FastifyReply {
  return reply.type("application/json; charset=utf-8").send(json);
}
