/** One push notification: a POST to an address that was pinned before, which follows nothing and reads next to nothing. */
import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import type { PushTarget } from "../../../model/push.ts";
import { AddressRefused, type AddressRules, type Pinned, pin } from "./addresses.ts";
import type { Resolve } from "./names.ts";

/** What is told, ready to be sent. */
export interface Notification {
  /** The same when it is sent again: a target that gets it twice can tell. */
  readonly id: string;
  readonly contentType: string;
  readonly body: string;
  /** A token that says who sends it, when the platform signs. */
  readonly signature?: string | undefined;
}

/** How sending went wrong. */
export class PushFailed extends Error {
  override readonly name = "PushFailed";
  /** Whether it will go wrong every time: nobody tries again. */
  readonly isFinal: boolean;

  constructor(message: string, isFinal: boolean) {
    super(message);
    this.isFinal = isFinal;
  }
}

/** How long it may take and where it may go. */
export interface SendOptions {
  readonly rules: AddressRules;
  /** Milliseconds for the name, the connection and the answer together. */
  readonly timeout: number;
  /** Ends it, because the process ends. */
  readonly signal: AbortSignal;
  /** Says where names point to. Default: name servers, and the system where inner addresses may be called. */
  readonly resolve?: Resolve;
}

/** Milliseconds after which the next of several addresses is tried. */
const attemptTimeout = 1_000;

/** Statuses that say that trying again is of no use: the target is gone, or will never take this. */
const finalStatuses: ReadonlySet<number> = new Set([404, 405, 410, 413, 415, 501]);

/** Sends it; resolves when the target has taken it. @throws PushFailed */
export async function send(target: PushTarget, notification: Notification, options: SendOptions): Promise<void> {
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(options.timeout)]);
  const status = await post(target, notification, options, signal).catch((error: unknown) => {
    throw new PushFailed(reasonOf(error, options), error instanceof AddressRefused);
  });
  if (status >= 200 && status < 300) return;
  throw new PushFailed(`the target answered ${status}`, finalStatuses.has(status));
}

async function post(
  target: PushTarget,
  notification: Notification,
  { rules, resolve }: SendOptions,
  signal: AbortSignal,
): Promise<number> {
  const pinned = await untilAborted(pin(target.url, rules, resolve), signal);
  const { status, answer } = await exchange(pinned, headersOf(target, notification), notification.body, signal);
  // Only the status counts: what else it says is not read.
  answer.destroy();
  return status;
}

function exchange(
  { url, host, addresses }: Pinned,
  headers: Readonly<Record<string, string>>,
  body: string,
  signal: AbortSignal,
): Promise<{ status: number; answer: IncomingMessage }> {
  const isSecure = url.protocol === "https:";
  // Nobody is asked again where the name points to: the connection goes to one of these, whichever answers first.
  const lookup: LookupFunction = (_, { all }, tell) => {
    const [first] = addresses;
    if (all) tell(null, [...addresses]);
    else tell(null, first?.address ?? "", first?.family);
  };
  return new Promise((resolve, reject) => {
    const options = {
      method: "POST",
      host,
      lookup,
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: attemptTimeout,
      port: url.port === "" ? undefined : Number(url.port),
      path: `${url.pathname}${url.search}`,
      headers: { ...headers, host: url.host, "content-length": String(Buffer.byteLength(body)) },
      // The certificate is that of the name, wherever it points to. An address as a name goes without (RFC 6066 section 3).
      ...(isSecure ? { servername: isIP(host) === 0 ? host : "" } : {}),
      agent: false,
      maxHeaderSize: 16_384,
      signal,
    };
    const asked = (isSecure ? requestHttps : requestHttp)(options);
    asked.once("error", reject);
    // A connection may end without an error, one that the target wants to use for another protocol for instance.
    asked.once("close", () => reject(Object.assign(new Error("closed"), { code: "ECONNRESET" })));
    asked.once("response", (answer) => {
      answer.on("error", () => undefined);
      resolve({ status: answer.statusCode ?? 0, answer });
    });
    asked.end(body);
  });
}

function headersOf(target: PushTarget, notification: Notification): Record<string, string> {
  const { token, authentication } = target;
  const [scheme] = authentication?.schemes ?? [];
  const credentials = authentication?.credentials;
  const { signature } = notification;
  const given = scheme !== undefined && credentials !== undefined ? `${scheme} ${credentials}` : undefined;
  const authorization = given ?? (signature === undefined ? undefined : `Bearer ${signature}`);
  return {
    "content-type": notification.contentType,
    "user-agent": "troupe",
    "x-a2a-notification-id": notification.id,
    ...(token === undefined ? {} : { "x-a2a-notification-token": token }),
    ...(authorization === undefined ? {} : { authorization }),
    // Where the client's own credentials take the usual header, the signature goes beside them.
    ...(given !== undefined && signature !== undefined ? { "x-a2a-notification-signature": signature } : {}),
  };
}

/** A resolver cannot be stopped, but need not be waited for. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

function reasonOf(error: unknown, { timeout, signal }: SendOptions): string {
  if (error instanceof AddressRefused) return `its address is not called: ${error.message}`;
  if (signal.aborted) return "the process ends";
  const { name, code } = error as { name?: string; code?: string };
  if (name === "TimeoutError" || code === "ABORT_ERR") return `it took longer than ${timeout / 1_000} s`;
  return `it cannot be reached (${code ?? "no reason given"})`;
}
