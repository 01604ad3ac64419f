/** Answers to what node's HTTP server refuses by itself, before there is a request: the same JSON as everywhere. */
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { type ErrorName, errorTable } from "../errors.ts";
import { errorBody } from "./errors.ts";
import { troupeVersion } from "./version.ts";

const clientErrors: Readonly<Record<string, readonly [ErrorName, string]>> = {
  HPE_HEADER_OVERFLOW: ["headersTooLarge", "The request line and headers are too long."],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ["tooLarge", "The chunk extensions are too long."],
  ERR_HTTP_REQUEST_TIMEOUT: ["requestTimeout", "The request took too long to arrive."],
};

/** For `clientErrorHandler`: the request could not be parsed. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  // An answer that has begun cannot be followed by another one.
  const begun = (socket as { _httpMessage?: { headersSent?: boolean } })._httpMessage?.headersSent === true;
  if (error.code === "ECONNRESET" || !socket.writable || begun) {
    socket.destroy(error);
    return;
  }
  const [name, detail] = clientErrors[error.code ?? ""] ?? ["badRequest", "The request is not valid HTTP."];
  socket.end(rawAnswer(name, detail), () => socket.destroy());
}

/** Takes over what node would answer with an empty body. */
export function answerRefusals(server: Server): void {
  server.on("connect", (_request: IncomingMessage, socket: Duplex) => {
    socket.on("error", () => {});
    socket.end(rawAnswer("methodNotAllowed", "Method Not Allowed"));
  });
  server.on("checkExpectation", (_request: IncomingMessage, response: ServerResponse) => {
    const body = JSON.stringify(errorBody("expectationFailed", "Only the expectation 100-continue is met."));
    response.writeHead(errorTable.expectationFailed.status, { ...headers, "content-length": Buffer.byteLength(body) });
    response.end(body);
  });
}

const headers = { "content-type": "application/json; charset=utf-8", "x-troupe-version": troupeVersion };

function rawAnswer(name: ErrorName, detail: string): string {
  const body = JSON.stringify(errorBody(name, detail));
  const { status } = errorTable[name];
  const lines = Object.entries({ ...headers, "content-length": Buffer.byteLength(body), connection: "close" });
  const head = lines.map(([field, value]) => `${field}: ${value}\r\n`).join("");
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n${body}`;
}
