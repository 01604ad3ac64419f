/** Requests to one server: credentials, and which requests are retried. */
import { RequestError, toRequestError } from "./errors.ts";
import { Waits } from "./waits.ts";

/** Options of a client: the server's URL, credentials, and limits. */
export interface ClientOptions {
  /** Base URL of the server, for instance `http://127.0.0.1:7777`. It may have a path. */
  readonly url: string;
  /** Bearer token, or a function that returns one. The function is called before each request, and once more after a response with 401. */
  readonly token?: string | (() => string | undefined | Promise<string | undefined>);
  /** Additional headers for every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Total time in milliseconds for retries while the server is unreachable or asks to wait. Default: 120,000. */
  readonly retryFor?: number;
  /** Time in milliseconds without any byte, heartbeats included, after which a stream counts as broken. Default: 45,000. */
  readonly silence?: number;
  /** Default: the global `fetch`. */
  readonly fetch?: typeof fetch;
}

/** A request to the server. */
export interface Asked {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Path after the base URL, with the query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: URLSearchParams | FormData | string;
  readonly signal?: AbortSignal | undefined;
}

export class Requests {
  readonly #options: ClientOptions;
  readonly #base: string;
  readonly #fetch: typeof fetch;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#base = options.url.replace(/\/+$/, "");
    this.#fetch = options.fetch ?? ((...asked) => fetch(...asked));
  }

  get silence(): number {
    return this.#options.silence ?? 45_000;
  }

  waits(): Waits {
    return new Waits(this.#options.retryFor ?? 120_000);
  }

  /** Sends a request and retries it until it succeeds, so the request must be idempotent. @throws RequestError */
  send(asked: Asked, waits: Waits = this.waits()): Promise<Response> {
    return repeat(() => this.#once(asked), asked, waits);
  }

  /** Same as `send`, and parses the whole body as JSON; undefined for an empty body. @throws RequestError */
  json(asked: Asked): Promise<unknown> {
    return repeat(() => this.jsonOnce(asked), asked, this.waits());
  }

  /** Same as `json`, and also returns the response's `Link` header; empty if there is none. @throws RequestError */
  page(asked: Asked): Promise<{ readonly json: unknown; readonly link: string }> {
    return repeat(() => this.#pageOnce(asked), asked, this.waits());
  }

  /** Sends the request once, without retries, and parses the body as JSON. @throws RequestError */
  async jsonOnce(asked: Asked): Promise<unknown> {
    return (await this.#pageOnce(asked)).json;
  }

  async #pageOnce(asked: Asked): Promise<{ readonly json: unknown; readonly link: string }> {
    const response = await this.#once(asked);
    const text = await response.text().catch((cause: unknown) => {
      throw new RequestError(`The answer of ${this.#base} broke off.`, { cause });
    });
    return { json: text === "" ? undefined : JSON.parse(text), link: response.headers.get("link") ?? "" };
  }

  /** Sends a request once. After a 401 it sends it once more if `token` is a function, which may return a new token. */
  async #once(asked: Asked): Promise<Response> {
    const response = await this.#ask(asked);
    if (response.ok) return response;
    const refusal = await toRequestError(response);
    if (refusal.status !== 401 || typeof this.#options.token !== "function") throw refusal;
    const again = await this.#ask(asked);
    if (again.ok) return again;
    throw await toRequestError(again);
  }

  async #ask({ path, signal, headers, method, body }: Asked): Promise<Response> {
    const { token } = this.#options;
    const known = typeof token === "function" ? await token() : token;
    const bearer = known === undefined ? {} : { authorization: `Bearer ${known}` };
    try {
      return await this.#fetch(this.#base + path, {
        method,
        headers: { ...this.#options.headers, ...headers, ...bearer },
        redirect: "manual",
        ...(body === undefined ? {} : { body }),
        ...(signal ? { signal } : {}),
      });
    } catch (cause) {
      signal?.throwIfAborted();
      throw new RequestError(`${this.#base} cannot be reached.`, { cause });
    }
  }
}

async function repeat<T>(ask: () => Promise<T>, { signal }: Asked, waits: Waits): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      await waits.after(error, signal);
    }
  }
}
