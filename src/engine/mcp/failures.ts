/** Failures of requests to MCP servers. */

/** Reasons by the code of the system's error. */
const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection was refused",
  ECONNRESET: "the connection was reset",
  ENOTFOUND: "its host was not found",
  EAI_AGAIN: "its host was not found",
  ENOENT: "its program was not found",
  EACCES: "its program may not be executed",
  EPIPE: "its process ended",
  UND_ERR_SOCKET: "the connection was closed",
  UND_ERR_CONNECT_TIMEOUT: "the connection timed out",
  CONNECTION_CLOSED: "the connection was closed",
  NOT_CONNECTED: "the connection was closed",
  REQUEST_TIMEOUT: "it did not answer in time",
};

/** Returns the reason of a failure, without addresses of the network. */
export function causeOf(error: unknown): string {
  if (typeof error === "string") return `${error}.`;
  const status = statusOf(error);
  if (status !== undefined) return `it answered with status ${status}.`;
  for (const one of chainOf(error)) {
    const reason = reasons[codeOf(one) ?? ""];
    if (reason !== undefined) return `${reason}.`;
  }
  const [first] = chainOf(error);
  const text = first instanceof Error ? first.message : String(error);
  return text === "fetch failed" ? "the connection failed." : `${text.replace(/\.$/, "")}.`;
}

/** Whether a request may have reached the server. One that found no connection, or a session that the server no longer knows, did not. */
export function wasSent(error: unknown): boolean {
  if (statusOf(error) === 404) return false;
  const unsent = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT", "NOT_CONNECTED"];
  return !chainOf(error).some((one) => unsent.includes(codeOf(one) ?? ""));
}

/** Codes of errors that an answer of the server causes. */
const answered = new Set([
  "INVALID_RESULT",
  "UNSUPPORTED_RESULT_TYPE",
  "INPUT_REQUIRED_ROUNDS_EXCEEDED",
  "LIST_PAGINATION_EXCEEDED",
  "CAPABILITY_NOT_SUPPORTED",
  "METHOD_NOT_SUPPORTED_BY_PROTOCOL_VERSION",
]);

/** Whether the server answered the request: with an error of the protocol, whose code is a number, or with something that the client rejects. */
export function isAnswer(error: unknown): boolean {
  const { code } = Object(error) as { readonly code?: unknown };
  return typeof code === "number" || answered.has(String(code));
}

function statusOf(error: unknown): number | undefined {
  const { status } = Object(error) as { readonly status?: unknown };
  return typeof status === "number" ? status : undefined;
}

function codeOf(error: unknown): string | undefined {
  const { code } = Object(error) as { readonly code?: unknown };
  return typeof code === "string" ? code : undefined;
}

function chainOf(error: unknown): readonly unknown[] {
  const chain: unknown[] = [];
  for (let one = error; one !== undefined && one !== null && chain.length < 5; one = (one as Error).cause) {
    chain.push(one);
    // A host with several addresses fails with an error for each.
    if (one instanceof AggregateError) chain.push(...one.errors.slice(0, 2));
  }
  return chain;
}
