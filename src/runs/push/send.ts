/** Sends one push notification: a POST to a pinned address. It follows no redirects and does not read the answer's body. */
import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { abortable } from "../../model/abortable.ts";
import type { PushTarget } from "../../model/push.ts";
import type { Clock } from "../../model/runtime.ts";
import { AddressRejected, type AddressRules, type Pinned, pin } from "./addresses.ts";
import type { Resolve } from "./resolve.ts";

/** A notification, ready to be sent. */
export interface Notification {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A failed delivery. */
export class PushFailed extends Error {
  override readonly name = "PushFailed";
  /** Whether the failure is final: the notification is not retried. */
  readonly isFinal: boolean;

  constructor(message: string, isFinal: boolean) {
    super(message);
    this.isFinal = isFinal;
  }
}

/** Time limit and address rules of a delivery. */
export interface SendOptions {
  readonly clock: Pick<Clock, "after">;
  readonly rules: AddressRules;
  /** Total milliseconds for resolving, connecting and the answer. */
  readonly timeout: number;
  /** Aborts the delivery when the process stops. */
  readonly signal: AbortSignal;
  /** Resolves host names. Default: name servers, or the system's resolver if inner addresses are allowed. */
  readonly resolve?: Resolve;
}

/** Milliseconds after which the next address is tried. */
const attemptTimeout = 1_000;

/** Statuses that rule out a retry: the target is gone, or will never accept the notification. */
const finalStatuses: ReadonlySet<number> = new Set([404, 405, 410, 413, 415, 501]);

/** Sends a notification; resolves when the target has accepted it. @throws PushFailed */
export async function send(
  target: Pick<PushTarget, "url">,
  notification: Notification,
  options: SendOptions,
): Promise<void> {
  const late = new AbortController();
  const cancelTimer = options.clock.after(options.timeout, () => late.abort());
  const signal = AbortSignal.any([options.signal, late.signal]);
  const status = await post(target, notification, options, signal)
    .catch((error: unknown) => {
      throw new PushFailed(reasonOf(error, options, late.signal), error instanceof AddressRejected);
    })
    .finally(cancelTimer);
  if (status >= 200 && status < 300) return;
  throw new PushFailed(`the target answered ${status}`, finalStatuses.has(status));
}

async function post(
  target: Pick<PushTarget, "url">,
  { headers, body }: Notification,
  { rules, resolve }: SendOptions,
  signal: AbortSignal,
): Promise<number> {
  // A resolver itself cannot be stopped.
  const pinned = await abortable(pin(target.url, rules, resolve), signal);
  const { status, answer } = await exchange(pinned, headers, body, signal);
  // Only the status counts: the body is not read.
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
  // The name is not resolved again: the connection goes to whichever of these addresses answers first.
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
      // The certificate must match the host name, whatever it resolves to. IP addresses send no server name (RFC 6066 section 3).
      ...(isSecure ? { servername: isIP(host) === 0 ? host : "" } : {}),
      agent: false,
      maxHeaderSize: 16_384,
      signal,
    };
    const asked = (isSecure ? requestHttps : requestHttp)(options);
    asked.once("error", reject);
    // A connection may close without an error, for example if the target switches protocols.
    asked.once("close", () => reject(Object.assign(new Error("closed"), { code: "ECONNRESET" })));
    asked.once("response", (answer) => {
      answer.on("error", () => undefined);
      resolve({ status: answer.statusCode ?? 0, answer });
    });
    asked.end(body);
  });
}

function reasonOf(error: unknown, { timeout, signal }: SendOptions, late: AbortSignal): string {
  if (error instanceof AddressRejected) return `its address is not called: ${error.message}`;
  if (signal.aborted) return "the process ends";
  if (late.aborted) return `it took longer than ${timeout / 1_000} s`;
  const { code } = error as { code?: string };
  return `it cannot be reached (${code ?? "no reason given"})`;
}
