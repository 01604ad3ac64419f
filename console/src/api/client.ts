/** Requests to the server: `api` for all documented routes, `runs` to start, follow and resume runs. */
import { createClient as createRunClient } from "@troupe/client";
import createClient, { type Middleware } from "openapi-fetch";
import { currentToken, nextToken, rejectToken } from "../session/credential.ts";
import { ApiError, type Fault } from "./errors.ts";
import { serverUrl } from "./places.ts";
import type { components, paths } from "./schema.ts";

/** A named schema of the OpenAPI document. */
export type Schema<Name extends keyof components["schemas"]> = components["schemas"][Name];

/** A request as it was sent: its token, and a copy that can be sent again. */
interface Sent {
  readonly token: string | undefined;
  readonly copy: Request;
}

const sent = new WeakMap<Request, Sent>();

const credentials: Middleware = {
  onRequest({ request }) {
    const token = currentToken();
    if (token !== undefined) request.headers.set("authorization", `Bearer ${token}`);
    sent.set(request, { token, copy: request.clone() });
  },
  async onResponse({ request, response }) {
    let last = response;
    // A rejected request waits for the next sign-in, so that the caller loses nothing that it has entered.
    for (let { token, copy } = sent.get(request) ?? { token: undefined, copy: request }; last.status === 401; ) {
      rejectToken(token);
      token = await nextToken(request.signal);
      const again = copy.clone();
      if (token !== undefined) again.headers.set("authorization", `Bearer ${token}`);
      last = await fetch(again);
    }
    if (!last.ok) throw await toApiError(last);
    return last;
  },
  onError: ({ error }) => {
    if (error instanceof DOMException && error.name === "AbortError") return error;
    return new ApiError(error instanceof Error ? error.message : String(error), { status: 0 });
  },
};

const client = createClient<paths>({ baseUrl: serverUrl });
client.use(credentials);

/** Typed requests to the documented routes. They reject with an `ApiError`, so `data` is defined for routes that send JSON. */
export const api: typeof client = client;

/** Returns a client of runs. It re-establishes lost connections, and waits for the next sign-in if its token is rejected. */
export function runsThrough(send: typeof fetch): ReturnType<typeof createRunClient> {
  return createRunClient({
    url: serverUrl,
    // A person may look at a chat while its server is down, so the client keeps trying.
    retryFor: 3_600_000,
    token: () => nextToken(new AbortController().signal),
    fetch: async (input, init) => {
      const token = currentToken();
      const response = await send(input, init);
      if (response.status === 401) rejectToken(token);
      return response;
    },
  });
}

/** The client of runs for requests that no screen interrupts. */
export const runs: ReturnType<typeof createRunClient> = runsThrough((...asked) => fetch(...asked));

/** Returns the JSON of a response. @throws ApiError */
export async function dataOf<Data>(
  answer: Promise<{ data?: Data; error?: unknown; response: Response }>,
): Promise<Data> {
  const { data, error, response } = await answer;
  if (data === undefined) throw new ApiError(messageOf(error) ?? "The answer is empty.", { status: response.status });
  return data;
}

/** The error of a response that reports a failure. */
export async function toApiError(response: Response): Promise<ApiError> {
  const text = await response.text().catch(() => "");
  const body = parsed(text);
  return new ApiError(messageOf(body) ?? `The server answered with the status ${response.status}.`, {
    status: response.status,
    requestId: response.headers.get("x-request-id") ?? undefined,
    code: typeof body?.error_code === "string" ? body.error_code : undefined,
    faults: faultsOf(body),
  });
}

/** The `detail` of an error body: a text, or a list of faults. */
function messageOf(body: unknown): string | undefined {
  const detail = (body as { detail?: unknown } | undefined)?.detail;
  if (typeof detail === "string") return detail;
  if (!Array.isArray(detail)) return undefined;
  return detail.map(({ loc, msg }) => `${[loc].flat().join(".")}: ${msg}`).join("; ");
}

function faultsOf(body: unknown): readonly Fault[] {
  const detail = (body as { detail?: unknown } | undefined)?.detail;
  if (!Array.isArray(detail)) return [];
  return detail.map(({ loc, msg }) => ({ path: [loc].flat().map(String), message: String(msg) }));
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
