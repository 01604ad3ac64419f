/**
 * The key set of an identity provider, by its URL or by OpenID Connect discovery. Only one request runs at a time. The pause after each
 * request doubles while it brings no new keys, so tokens with unknown keys and an unavailable provider do not cause many requests. A token
 * that arrives during a short pause waits for the next request, so that it is not rejected right after a rotation. Known
 * keys remain valid until newer keys arrive. docs/decisions/0023-what-libraries-do.md compares this class with the
 * key set of jose.
 */
import type { IssuerOptions } from "../model/authorization.ts";
import { mismatchOf } from "../model/key-fit.ts";
import { isLoopback } from "../model/loopback.ts";
import type { Runtime } from "../model/runtime.ts";
import type { KeyHint, KeySource } from "./key-source.ts";
import { permitsAlgorithm, toKeySet, type VerificationKey } from "./keys.ts";

/** Reads a text from a URL. Tests pass their own; the default is `fetchText`. */
export type ReadText = (url: string, signal: AbortSignal) => Promise<string>;

/** Minimum and maximum pause between two requests in milliseconds. A request that brings new keys resets the pause to the minimum. */
const minPause = 1_000;
const maxPause = 30_000;
/** Maximum time in milliseconds for which a token waits for the next request. */
const maxWait = 2_000;
/** Time in milliseconds after which keys in use are read again. */
const maxAge = 300_000;
/** Maximum duration of a request in milliseconds. */
const timeout = 5_000;
/** Maximum size of a key set or discovery document in bytes. */
const maxBytes = 1024 * 1024;

/** Creates the key set. It sends no request before the first token or `refresh`. */
export function remoteKeySet(options: IssuerOptions, runtime: Runtime, read: ReadText = fetchText): KeySource {
  const { issuer, algorithms = ["RS256"] } = options;
  const title = `the keys of ${issuer}`;
  const { clock, log } = runtime;
  const listeners: (() => void)[] = [];
  let keys: readonly VerificationKey[] = [];
  let fingerprint = "";
  let lastTry = Number.NEGATIVE_INFINITY;
  let lastSuccess = Number.NEGATIVE_INFINITY;
  let pause = 0;
  let current: Promise<boolean> | undefined;
  let following: Promise<boolean> | undefined;

  async function load(): Promise<boolean> {
    const tooLong = new AbortController();
    const stop = clock.after(timeout, () => tooLong.abort(new Error("it took too long")));
    try {
      const text = await read(await addressOf(options, read, tooLong.signal), tooLong.signal);
      const found = toKeySet(text, title).filter(({ key }) => algorithms.some((name) => !mismatchOf(key, name)));
      if (found.length === 0) throw new Error("there is no key in it for the issuer's algorithms");
      lastSuccess = clock.monotonic();
      if (text === fingerprint) return false;
      keys = found;
      fingerprint = text;
      for (const listener of listeners) listener();
      return true;
    } catch (error) {
      const reason = error instanceof SyntaxError ? "what came is not JSON" : messageOf(error);
      log.warn({ issuer, reason, knownKeys: keys.length }, "The keys of an issuer could not be read.");
      return false;
    } finally {
      stop();
      lastTry = clock.monotonic();
    }
  }

  function start(): Promise<boolean> {
    const wasQuiet = clock.monotonic() - lastTry > 2 * maxPause;
    current = load()
      .then((hasChanged) => {
        pause = hasChanged || wasQuiet ? minPause : Math.min(pause * 2, maxPause);
        return hasChanged;
      })
      .finally(() => {
        current = undefined;
      });
    return current;
  }

  /** Starts a request now or after the pause. Does not rely on the request in progress, which may have started before the keys were rotated. */
  async function next(): Promise<boolean> {
    await current;
    const wait = lastTry + pause - clock.monotonic();
    if (wait > maxWait) return false;
    if (wait > 0) await clock.sleep(wait);
    following = undefined;
    return start();
  }

  function refresh(): Promise<boolean> {
    following ??= next().finally(() => {
      following = undefined;
    });
    return following;
  }

  function candidates({ kid, algorithm }: KeyHint): readonly VerificationKey[] {
    const fitting = keys.filter(
      (key) => permitsAlgorithm(key, algorithm) && mismatchOf(key.key, algorithm) === undefined,
    );
    return kid === undefined ? fitting : fitting.filter((key) => key.kid === kid);
  }

  return {
    title,
    candidates,
    refresh(hint) {
      // Providers give every key its own id, so a wrong signature under a known id does not need a request.
      if (hint.kid !== undefined && candidates(hint).length > 0) return Promise.resolve(false);
      return refresh();
    },
    watch() {
      const now = clock.monotonic();
      if (current === undefined && now - lastSuccess >= maxAge && now - lastTry >= pause) void start();
    },
    get pendingRead() {
      return current;
    },
    get isEmpty() {
      return keys.length === 0;
    },
    onChange: (listener) => void listeners.push(listener),
  };
}

/** Returns the URL of the keys. The discovery document must name the issuer itself (OpenID Connect Discovery 1.0 section 4.3). */
async function addressOf(options: IssuerOptions, read: ReadText, signal: AbortSignal): Promise<string> {
  if (options.jwksUrl !== undefined) return options.jwksUrl;
  const { issuer, discovery } = options;
  const usual = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const document: unknown = JSON.parse(await read(typeof discovery === "string" ? discovery : usual, signal));
  const { issuer: found, jwks_uri: address } = (document ?? {}) as { issuer?: unknown; jwks_uri?: unknown };
  if (found !== issuer) throw new Error("its discovery document is of another issuer");
  const fault = typeof address === "string" ? faultOfAddress(address, options) : "is missing";
  if (fault !== undefined) throw new Error(`the jwks_uri of its discovery document ${fault}`);
  return address as string;
}

/** Returns why keys must not be read from a URL. Over plain HTTP, an attacker on the network could replace the keys and sign tokens. */
export function faultOfAddress(text: string, { allowHttp }: Pick<IssuerOptions, "allowHttp">): string | undefined {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return "is no address of the web";
  const isLocal = isLoopback(url.hostname.replace(/^\[(.*)\]$/, "$1"));
  if (url.protocol === "https:" || isLocal || allowHttp) return undefined;
  return "is plain HTTP: keys are read over HTTPS, unless the issuer sets allowHttp: true";
}

async function fetchText(url: string, signal: AbortSignal): Promise<string> {
  const response = await fetch(url, { signal, redirect: "error", headers: { accept: "application/json" } });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`it answered ${response.status}`);
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > maxBytes) throw new Error(`it is larger than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
