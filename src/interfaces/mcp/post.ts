/** `POST /mcp`: answers one JSON-RPC message. */
import type { CallToolRequest, CallToolResult } from "@modelcontextprotocol/server";
import { ZodError } from "zod";
import { TroupeError, toClientError } from "../../errors.ts";
import { noFields, readFields } from "../../http/input/body.ts";
import type { RawFields } from "../../http/input/decode.ts";
import { sendStream } from "../../http/streams/sse.ts";
import { reportRun } from "../../http/transport/finished-requests.ts";
import { tokenIn } from "../../http/transport/guard.ts";
import type { Call } from "../../http/transport/route.ts";
import type { McpOptions } from "../../model/mcp.ts";
import { toTraceContext } from "../../model/trace/propagation.ts";
import type { RunName } from "../../runs/find.ts";
import { answerQuestions, type InputResponses, runInState } from "./elicitation.ts";
import { type Exchange, type Protocol, type ProtocolAnswer, RpcError } from "./protocol.ts";
import { failedResult } from "./result.ts";
import type { ServedPlatform } from "./served-platform.ts";
import { type ClientId, isClientId, maxClientIdLength } from "./stream/cursor.ts";
import { callStream } from "./stream/run-stream.ts";
import { cancelCall, cancelTask, findTask, listTasks, readTask } from "./tasks.ts";
import { findTool, listTools } from "./tools/catalog.ts";
import type { BegunRun, McpTool, ToolContext } from "./tools/tool.ts";

type PostCall = Call<undefined, undefined, undefined>;

/** A run that a call began, with the client's revision. */
interface Begun extends BegunRun {
  readonly isModern: boolean;
  /** The handle of the run's task, or the result of an existing task; undefined if the call waits for its own run. */
  readonly task?: "handle" | "result";
  /** Whether the client asks its user the questions of the run. */
  readonly elicits: boolean;
}

/** Answers one message. A call that waits for a run is answered by a stream; it is not awaited here. */
export async function postMessage(
  call: PostCall,
  platform: ServedPlatform,
  options: McpOptions,
  protocol: Protocol,
): Promise<unknown> {
  const { services, request, reply } = call;
  let message: RawFields;
  try {
    message = await readMessage(call);
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return reply.code(400).send({ jsonrpc: "2.0", id: null, error: { code: error.code, message: error.message } });
  }
  // The library would answer with a stream that never ends, and this server has nothing to notify of.
  if (message.method === "subscriptions/listen") {
    const error = { code: -32601, message: "Method not found" };
    return reply.code(404).send({ jsonrpc: "2.0", id: message.id ?? null, error });
  }
  if (message.method === "notifications/cancelled") await cancelNamed(call, message);
  const progressToken = progressTokenIn(message);
  const context = contextOf(call, platform, message, progressToken !== undefined);
  const begun = Promise.withResolvers<Begun>();
  const stop = new AbortController();
  const answered = protocol.answer(
    toRequest(call, stop.signal),
    message,
    exchangeOf(call, context, { options, message }, begun.resolve),
  );
  const first = await Promise.race([answered, begun.promise]);
  if (!("name" in first)) return sendAnswer(call, message, first);
  // The library waits for the result, which the stream sends instead.
  answered.catch(ignore);
  stop.abort(taken);
  const { name, run, cursor, isRepeated, isModern, task, elicits } = first;
  reportRun(request, run);
  reply.header("x-run-id", run.runId);
  if (isRepeated) reply.header("idempotency-replayed", "true");
  if (task === "handle") {
    const handle = await readTask(context, run.runId, "start");
    return reply.send({ jsonrpc: "2.0", id: message.id, result: { task: handle } });
  }
  const streamed = {
    ...name,
    requestId: message.id as ClientId,
    progressToken,
    isModern,
    elicits,
    isTask: task === "result",
  };
  const stream = callStream(services.runs, call.caller, run, {
    call: streamed,
    after: { index: cursor, frame: 0 },
    isPrimed: !isModern && isPrimable(request.headers["mcp-protocol-version"]),
  });
  const { heartbeatInterval } = services.platform.settings;
  void sendStream(reply, stream, { heartbeatInterval, log: services.runtime.log });
  return undefined;
}

/** Why the library's request ends. It is shared: without a given reason, Node creates an exception with a stack for each abort. */
const taken = new Error("A stream answers the request.");

/** Clients before this revision fail on an event without data. */
const firstPrimable = "2025-11-25";

function isPrimable(version: string | string[] | undefined): boolean {
  return typeof version === "string" && version >= firstPrimable;
}

const bodyFaults: Readonly<Record<string, number>> = { json_invalid: -32700, model_attributes_type: -32600 };

/** @throws RpcError for a body that is no message, TroupeError */
async function readMessage({ request, services }: PostCall): Promise<RawFields> {
  let message: RawFields;
  try {
    message = await readFields(request.raw, ["json"], services.platform.settings);
  } catch (error) {
    const fault = error instanceof TroupeError ? error.faults?.[0] : undefined;
    const code = fault && bodyFaults[fault.type];
    if (code === undefined) throw error;
    throw new RpcError(code, code === -32600 ? "The body must be one JSON-RPC message" : (fault?.msg ?? ""));
  }
  if (message === noFields) throw new RpcError(-32700, "The body is empty");
  const { id, params } = message;
  if ([message, params, Object(params)._meta, Object(params).arguments].some(hasTooManyMembers)) {
    throw new RpcError(-32600, `An object of the message has more than ${maxMembers} members`);
  }
  if (id !== undefined && !isClientId(id)) {
    throw new RpcError(-32600, `The id must be an integer or a string of at most ${maxClientIdLength} characters`);
  }
  return message;
}

/** Maximum number of members of the message, its params, arguments and metadata. The library reads each of them several times. */
const maxMembers = 200;

function hasTooManyMembers(value: unknown): boolean {
  let count = 0;
  for (const _ in Object(value) as object) if (++count > maxMembers) return true;
  return false;
}

/** Cancels the run of the call that a notification names. */
async function cancelNamed({ services, caller, request, reply }: PostCall, { params }: RawFields): Promise<void> {
  const session = request.headers["mcp-session-id"];
  const { requestId } = Object(params) as { readonly requestId?: unknown };
  if (typeof session !== "string" || !isClientId(requestId)) return;
  await reply.server.heavyReads.take(caller, () => cancelCall({ services, caller }, { session, request: requestId }));
}

/** The client's progress token. */
function progressTokenIn({ params }: RawFields): ClientId | undefined {
  const token = (Object(Object(params)._meta) as Record<string, unknown>).progressToken;
  return isClientId(token) ? token : undefined;
}

function contextOf(call: PostCall, platform: ServedPlatform, message: RawFields, hasProgress: boolean): ToolContext {
  const { services, caller, request } = call;
  const { "mcp-session-id": session, "idempotency-key": key } = request.headers;
  const isNamed = typeof session === "string" && isSessionId(session) && isClientId(message.id);
  return {
    ...{ services, platform, caller, hasProgress },
    token: tokenIn(request),
    trace: toTraceContext(request.headers),
    idempotencyKey: typeof key === "string" && /^[\x21-\x7e]{1,255}$/.test(key) ? key : undefined,
    isTask: Object(Object(message.params).task) === Object(message.params).task,
    calledBy: isNamed ? { session, request: message.id as ClientId } : undefined,
  };
}

/** Whether a text can be the id of a session. The server checks no more: it stores nothing about sessions. */
function isSessionId(text: string): boolean {
  return /^[\x21-\x7e]{1,128}$/.test(text);
}

/** The handlers of a request. `begin` receives the run that a call waits for. */
function exchangeOf(
  call: PostCall,
  context: ToolContext,
  { options, message }: { readonly options: McpOptions; readonly message: RawFields },
  begin: (begun: Begun) => void,
): Exchange {
  return {
    listTools: () => listTools(context, options).map(({ definition }) => definition),
    async callTool({ name, arguments: input = {} }: CallToolRequest["params"], isModern) {
      const tool = findTool(context, options, name);
      if (!tool) throw new RpcError(-32602, `Unknown tool: ${name.slice(0, 100)}`);
      const isTask = context.isTask && !isModern;
      if (isTask && !tool.definition.execution)
        throw new RpcError(-32601, `The tool ${name} cannot be called as a task`);
      const elicits = isModern && canElicit(message);
      const answered = elicits ? answersIn(message) : undefined;
      const work = answered
        ? async () => await answerQuestions(context, answered.name, answered.responses)
        : async () => await tool.call({ ...context, isTask }, input);
      const outcome = await callTool(call, tool, work);
      if ("result" in outcome) return outcome.result;
      const isAnswered = !("isAnswered" in outcome && outcome.isAnswered === false);
      begin({ ...outcome.begun, isModern, elicits: elicits && isAnswered, ...(isTask && { task: "handle" }) });
      return await new Promise<CallToolResult>(ignore);
    },
    readTask: (taskId) => readTask(context, taskId),
    cancelTask: (taskId) => cancelTask(context, taskId),
    listTasks: (cursor) => listTasks(context, cursor),
    async awaitTask(taskId) {
      const run = await findTask(context, taskId, "follow");
      const { kind, componentId, runId } = run;
      begin({
        name: { kind, componentId, runId },
        run,
        cursor: -1,
        isRepeated: false,
        isModern: false,
        elicits: false,
        task: "result",
      });
      return await new Promise<never>(ignore);
    },
  };
}

/** Whether the client of a message shows forms to its user. Clients declare it in each message. */
function canElicit({ params }: RawFields): boolean {
  const capabilities = Object(Object(Object(params)._meta)["io.modelcontextprotocol/clientCapabilities"]);
  const { elicitation } = capabilities as { readonly elicitation?: unknown };
  if (typeof elicitation !== "object" || elicitation === null) return false;
  return "form" in elicitation || !("url" in elicitation);
}

/** The answers to the questions of an earlier result. @throws RpcError for a state of another server */
function answersIn({ params }: RawFields): { name: RunName; responses: InputResponses } | undefined {
  const { requestState, inputResponses } = Object(params) as Record<string, unknown>;
  if (requestState === undefined) return undefined;
  const name = runInState(requestState);
  if (!name) throw new RpcError(-32602, "requestState is not from a result of this server");
  return { name, responses: Object(inputResponses) as InputResponses };
}

/** Calls a tool. Errors that a client may see are results, so that a model reads them. @throws RpcError for other errors */
async function callTool<Result>(
  { services, caller, request, reply }: PostCall,
  tool: McpTool,
  work: () => Promise<Result>,
) {
  try {
    if (!tool.isHeavy) return await work();
    return await reply.server.heavyReads.take(caller, work);
  } catch (error) {
    if (error instanceof ZodError) return { result: failedResult(faultsIn(error)) };
    const clientError = toClientError(error);
    if (clientError.code !== "internal") return { result: failedResult(clientError.message) };
    services.runtime.log.error({ error, requestId: request.id, tool: tool.definition.name }, "A tool call failed.");
    throw new RpcError(-32603, "Internal server error");
  }
}

/** Maximum number of faults that an error lists. */
const maxFaults = 10;

function faultsIn({ issues }: ZodError): string {
  const faults = issues.slice(0, maxFaults).map(({ path, message }) => {
    return path.length === 0 ? message : `${path.join(".")}: ${message}`;
  });
  return `Invalid arguments: ${faults.join("; ").slice(0, 2_000)}`;
}

/** Headers that the library reads. */
const readHeaders = ["accept", "content-type", "mcp-protocol-version", "mcp-method", "mcp-name", "mcp-session-id"];

function toRequest({ request }: PostCall, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const name of Object.keys(request.headers)) {
    const value = request.headers[name];
    if ((readHeaders.includes(name) || name.startsWith("mcp-param-")) && typeof value === "string")
      headers.set(name, value);
  }
  return new Request("http://localhost/mcp", { method: "POST", headers, signal });
}

/** Sends an answer of the library. The answer to `initialize` names a session, by which the client's requests belong together. */
function sendAnswer(
  { services, reply }: PostCall,
  { method }: RawFields,
  { status, headers, body }: ProtocolAnswer,
): unknown {
  const type = headers.get("content-type");
  if (method === "initialize" && status === 200) reply.header("mcp-session-id", services.runtime.randomness.uuid());
  reply.code(status);
  if (type !== null) reply.type(type);
  return reply.send(body);
}

function ignore(): void {}
