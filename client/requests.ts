/** Requests to one server: who asks, and what is asked again. */
import { RequestError, toRequestError } from "./errors.ts";
import { Waits } from "./waits.ts";

/** Where the server is, and who asks. */
export interface ClientOptions {
  /** Base address, for instance `http://127.0.0.1:7777`. It may have a path. */
  readonly url: string;
  /** Bearer token. A function is asked before each request, and once more when the server refused the token with 401. */
  readonly token?: string | (() => string | undefined | Promise<string | undefined>);
  /** Further headers of every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds for which a server that cannot be reached, or asks to wait, is asked again. Default: 120,000. */
  readonly retryFor?: number;
  /** Milliseconds without a byte, a heartbeat included, after which a stream counts as broken. Default: 45,000. */
  readonly silence?: number;
  /** Default: the one of the platform. */
  readonly fetch?: typeof fetch;
}

/** What is asked of the server. */
export interface Asked {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Behind the base address, with its query. */
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

  /** Asks until there is an answer: only what may be asked twice is to be asked so. @throws RequestError */
  send(asked: Asked, waits: Waits = this.waits()): Promise<Response> {
    return repeat(() => this.#once(asked), asked, waits);
  }

  /** The same, with the whole of a body that is JSON; undefined for an empty one. */
  json(asked: Asked): Promise<unknown> {
    return repeat(() => this.jsonOnce(asked), asked, this.waits());
  }

  /** The same, with the answer's `Link` header; empty without one. */
  page(asked: Asked): Promise<{ readonly json: unknown; readonly link: string }> {
    return repeat(() => this.#pageOnce(asked), asked, this.waits());
  }

  /** One try. */
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

  /** One try; another one at once where a fresh token may help. */
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
