/** `POST /v1/chat/completions`. */
import { TroupeError } from "../../../errors.ts";
import { sendStream, untilGone } from "../../../http/streams/sse.ts";
import { reportRun, reportStart } from "../../../http/transport/finished-requests.ts";
import { type Call, type Route, route } from "../../../http/transport/route.ts";
import { inputRefusedType } from "../../../model/run/failure.ts";
import { toErrorAnswer } from "../errors.ts";
import { type ChatRequest, chatBody } from "../input/chat.ts";
import { responseId } from "../names.ts";
import { type BegunPart, send } from "../run-service.ts";
import { CompletionTranslator, errorChunk } from "../stream/completion.ts";
import { partStream, readToEnd } from "../stream/follow.ts";
import { errorAnswers, routeDefaults } from "./defaults.ts";

type ChatCall = Call<undefined, undefined, ChatRequest>;

export const chatRoutes: readonly Route[] = [
  route({
    method: "POST",
    path: "/v1/chat/completions",
    access: "caller",
    errorForm: toErrorAnswer,
    operation: {
      ...routeDefaults,
      id: "openai_create_chat_completion",
      summary: "Send a message to a component, or the answers that its run waits for",
      success: {
        200: { description: "The completion, or its stream", json: "any", eventStream: true },
        ...errorAnswers(400, 401, 403, 404, 409, 413, 429, 500, 503),
      },
    },
    body: chatBody,
    admit: ({ runs }) => runs.checkAcceptance(),
    handle: createCompletion,
  }),
];

async function createCompletion({ services, caller, request, reply, body }: ChatCall): Promise<unknown> {
  const { stream, includesUsage } = body;
  const begun = await send({ services, caller, request }, { ...body, background: false });
  if (begun.first === 0 && !begun.isRepeated) reportStart(request, begun);
  else reportRun(request, begun);
  reply.header("x-run-id", begun.runId);
  if (begun.isRepeated) reply.header("idempotency-replayed", "true");
  // Not awaited here: the body would stay in memory for as long as the run.
  return answer({ services, reply }, begun, { stream, includesUsage });
}

function answer(
  { services, reply }: Pick<ChatCall, "services" | "reply">,
  { kind, componentId, runId, first, key }: BegunPart,
  { stream, includesUsage }: Pick<ChatRequest, "stream" | "includesUsage">,
): Promise<unknown> | undefined {
  const { runs, platform, runtime } = services;
  const part = { runId, first, key };
  const translator = new CompletionTranslator({ kind, componentId, runId, first, includesUsage }, stream);
  if (!stream) return whole({ services, reply }, part, translator);
  const message = `The run continues, but this server cannot stream it any longer. GET /v1/responses/${responseId(part)} has its answer.`;
  const last = partStream(runs, part, translator, {
    interrupted: () => errorChunk({ message, code: "interrupted" }),
    failed: (code, text) => errorChunk({ message: text, code }),
  });
  void sendStream(reply, last, { heartbeatInterval: platform.settings.heartbeatInterval, log: runtime.log });
  return undefined;
}

async function whole(
  { services, reply }: Pick<ChatCall, "services" | "reply">,
  part: Pick<BegunPart, "runId" | "first" | "key">,
  translator: CompletionTranslator,
): Promise<unknown> {
  if (!(await readToEnd(services.runs, part, translator, untilGone(reply.raw)))) return {};
  if (!translator.failure) return translator.completion;
  const { code, message } = translator.failure;
  throw new TroupeError(code === inputRefusedType ? "runRefused" : "runFailed", message);
}
