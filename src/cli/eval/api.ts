/** The interface that executes evals: a running server, or a platform in this process. */
import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ConfigurationError } from "../../errors.ts";
import { createServer } from "../../platform/server.ts";
import { loadPlatform } from "../load.ts";

/** A response. */
export interface ApiAnswer {
  readonly status: number;
  readonly body: unknown;
  /** The error of a response without success. */
  readonly fault: string;
  /** Path of the next page. */
  readonly next: string | undefined;
}

/** Sends requests. */
export interface Api extends AsyncDisposable {
  request(method: "GET" | "POST", path: string, body?: unknown): Promise<ApiAnswer>;
}

/** Attempts of a request that a server does not answer, or answers with 429, 502, 503 or 504. */
const maxAttempts = 8;

const repeated: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Milliseconds for which a request waits for its response. */
const timeout = 30_000;

/** A running server. @throws ConfigurationError for an address that is none */
export function serverApi(url: string, token: string | undefined): Api {
  const base = URL.parse(url);
  if (base === null || !/^https?:$/.test(base.protocol))
    throw new ConfigurationError(`--url ${url} is not an address like https://agents.example.`);
  const prefix = base.href.replace(/\/+$/, "");
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return {
    async request(method, path, body) {
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      const type = body === undefined ? {} : { "content-type": "application/json" };
      // A repeated request creates nothing twice.
      const key = method === "POST" ? { "idempotency-key": randomUUID() } : {};
      for (let tried = 1; ; tried++) {
        const answer = await fetch(`${prefix}${path}`, {
          ...{ method, ...sent, headers: { ...headers, ...type, ...key } },
          ...{ redirect: "error", signal: AbortSignal.timeout(timeout) },
        })
          .then(async (response) =>
            toAnswer(response.status, await response.text(), response.headers.get("link") ?? undefined),
          )
          .catch((error: unknown) => error as Error);
        if (!(answer instanceof Error) && !repeated.has(answer.status)) return answer;
        if (tried === maxAttempts)
          return answer instanceof Error ? toAnswer(0, `${prefix} does not respond: ${causeOf(answer)}`) : answer;
        await sleep(Math.min(250 * 2 ** tried, 8_000));
      }
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
}

function causeOf({ message, cause }: Error): string {
  return cause instanceof Error ? cause.message : message;
}

/** The platform of a file, with an empty database of its own and without authorization. @throws ConfigurationError */
export async function localApi(file: string | undefined): Promise<Api> {
  const platform = { ...(await loadPlatform(file)), authorization: false, schedules: false as const };
  const dataDir = await mkdtemp(join(tmpdir(), "troupe-eval-"));
  const server = await createServer(platform, { dataDir, logLevel: "error", environment: {} });
  return {
    async request(method, url, body) {
      const sent = body === undefined ? {} : { payload: JSON.stringify(body) };
      const headers = { "content-type": "application/json" };
      const answer = await server.inject({ method, url, ...sent, ...(body === undefined ? {} : { headers }) });
      const { link } = answer.headers;
      return toAnswer(answer.statusCode, answer.body, typeof link === "string" ? link : undefined);
    },
    async [Symbol.asyncDispose]() {
      await server.close({ shutdownTimeout: 0 });
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

function toAnswer(status: number, text: string, link?: string): ApiAnswer {
  const body = parsed(text);
  const { detail } = (body ?? {}) as { readonly detail?: unknown };
  const fault =
    detail === undefined ? text.slice(0, 300) : typeof detail === "string" ? detail : JSON.stringify(detail);
  const next = /<([^>]+)>; rel="next"/.exec(link ?? "")?.[1];
  return { status, body, fault: status === 0 ? fault : `${status}: ${fault}`, next };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
