/** Answers errors that Node's HTTP server reports before a request exists, in the same JSON form as other errors. */
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { type ErrorName, errorTable, type TroupeError } from "../../errors.ts";
import type { Runtime } from "../../model/runtime.ts";
import { hasBegunAnswer, watchAnswers } from "./begun-answers.ts";
import { errorBody } from "./errors.ts";
import { endSlowly, isEnding } from "./linger.ts";
import { troupeVersion } from "./version.ts";

const clientErrors: Readonly<Record<string, readonly [ErrorName, string]>> = {
  HPE_HEADER_OVERFLOW: ["headersTooLarge", "The request line and headers are too long."],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ["tooLarge", "The chunk extensions are too long."],
  ERR_HTTP_REQUEST_TIMEOUT: ["requestTimeout", "The request took too long to arrive."],
};

/** Handles `clientErrorHandler`: the request could not be parsed. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Duplex, runtime: Runtime): void {
  if (socket instanceof Socket && isEnding(socket)) return;
  if (error.code === "ECONNRESET" || !socket.writable || hasBegunAnswer(socket)) {
    socket.destroy(error);
    return;
  }
  const [name, detail] = clientErrors[error.code ?? ""] ?? ["badRequest", "The request is not valid HTTP."];
  const answer = rawAnswer(refuse(name, detail, runtime, error.code));
  // A client that was too slow gets no more time to send the rest.
  if (name === "requestTimeout" || !(socket instanceof Socket)) socket.end(answer, () => socket.destroy());
  else endSlowly(socket, answer, runtime.clock);
}

/** Handles requests that Node would answer with an empty body. */
export function answerRefusals(server: Server, runtime: Runtime): void {
  watchAnswers(server);
  server.on("connect", (_request: IncomingMessage, socket: Duplex) => {
    socket.on("error", () => {});
    socket.end(rawAnswer(refuse("methodNotAllowed", "Method Not Allowed", runtime)));
  });
  server.on("checkExpectation", (_request: IncomingMessage, response: ServerResponse) => {
    const refusal = refuse("expectationFailed", "Only the expectation 100-continue is met.", runtime);
    response.writeHead(refusal.status, refusal.headers);
    response.end(refusal.body);
  });
}

/** Answers a rejected upgrade and closes the connection. */
export function refuseUpgrade(socket: Duplex, { code, message, retryAfter }: TroupeError, runtime: Runtime): void {
  const refusal = refuse(code, message, runtime);
  const wait = retryAfter === undefined ? {} : { "retry-after": retryAfter };
  socket.end(rawAnswer({ ...refusal, headers: { ...refusal.headers, ...wait } }), () => socket.destroy());
}

interface Refusal {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: string;
}

/** There is no request with an id, so the answer gets its own; the log has it, too. */
function refuse(name: ErrorName, detail: string, { log, randomness }: Runtime, reason?: string): Refusal {
  const { status } = errorTable[name];
  const requestId = randomness.uuid();
  log.info(
    { requestId, status, ...(reason === undefined ? {} : { reason }) },
    "The bytes were refused before they formed a request.",
  );
  const body = JSON.stringify(errorBody(name, detail));
  const headers = {
    "content-type": "application/json; charset=utf-8",
    "x-troupe-version": troupeVersion,
    "x-request-id": requestId,
    "content-length": Buffer.byteLength(body),
  };
  return { status, headers, body };
}

function rawAnswer({ status, headers, body }: Refusal): string {
  const lines = Object.entries({ ...headers, connection: "close" });
  const head = lines.map(([field, value]) => `${field}: ${value}\r\n`).join("");
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n${body}`;
}
