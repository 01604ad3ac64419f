/** Sends forms with files, and reports how many bytes have been sent: `fetch` does not report them. */
import { nextToken, rejectToken } from "../session/credential.ts";
import { toApiError } from "./client.ts";
import { ApiError } from "./errors.ts";
import { serverUrl } from "./places.ts";

interface SendOptions {
  readonly signal: AbortSignal;
  /** Receives the sent part of the body, from 0 to 1. */
  readonly onProgress: (part: number) => void;
}

/** Sends a form to a route that answers with JSON. A rejected token waits for the next sign-in. @throws ApiError, or the reason of the signal */
export async function sendForm(path: string, form: FormData, options: SendOptions): Promise<unknown> {
  for (;;) {
    const token = await nextToken(options.signal);
    const response = await send(path, form, token, options);
    if (response.ok) return await response.json();
    if (response.status !== 401) throw await toApiError(response);
    rejectToken(token);
  }
}

function send(path: string, form: FormData, token: string | undefined, options: SendOptions): Promise<Response> {
  const { signal, onProgress } = options;
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const request = new XMLHttpRequest();
    const abort = (): void => request.abort();
    request.upload.addEventListener("progress", ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0));
    request.addEventListener("load", () => resolve(toResponse(request)));
    request.addEventListener("error", () => reject(new ApiError("The connection was lost.", { status: 0 })));
    request.addEventListener("abort", () => reject(signal.reason));
    request.addEventListener("loadend", () => signal.removeEventListener("abort", abort));
    signal.addEventListener("abort", abort);
    request.open("POST", `${serverUrl}${path}`);
    if (token !== undefined) request.setRequestHeader("authorization", `Bearer ${token}`);
    request.send(form);
  });
}

function toResponse(request: XMLHttpRequest): Response {
  const id = request.getResponseHeader("x-request-id");
  return new Response(request.responseText, {
    status: request.status,
    headers: id === null ? {} : { "x-request-id": id },
  });
}
