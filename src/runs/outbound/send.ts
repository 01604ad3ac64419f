/** Sends one message to a URL that a client or the platform gave: a POST to a pinned address. It follows no redirects and does not read the answer's body. */
import { abortable } from "../../model/abortable.ts";
import type { Clock } from "../../model/runtime.ts";
import { AddressRejected, type AddressRules, pin } from "./addresses.ts";
import { exchange } from "./exchange.ts";
import type { Resolve } from "./resolve.ts";

/** A message, ready to be sent. */
export interface OutboundMessage {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Where a message goes. */
interface Target {
  readonly url: string;
}

/** A failed delivery. */
export class DeliveryFailed extends Error {
  override readonly name = "DeliveryFailed";
  /** Whether the failure is final: the message is not retried. */
  readonly isFinal: boolean;
  /** The status that the target answered; undefined if it did not answer. */
  readonly status: number | undefined;

  constructor(message: string, isFinal: boolean, status?: number) {
    super(message);
    this.isFinal = isFinal;
    this.status = status;
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
  /** Statuses that rule out a retry. Default: those of a target that is gone, or that will never accept the message. */
  readonly finalStatuses?: ReadonlySet<number>;
}

/** The default of `finalStatuses`. */
const usualFinalStatuses: ReadonlySet<number> = new Set([404, 405, 410, 413, 415, 501]);

/** Sends a message; resolves with the status of a target that has accepted it. @throws DeliveryFailed */
export async function send(target: Target, message: OutboundMessage, options: SendOptions): Promise<number> {
  const late = new AbortController();
  const cancelTimer = options.clock.after(options.timeout, () => late.abort());
  const signal = AbortSignal.any([options.signal, late.signal]);
  const status = await post(target, message, options, signal)
    .catch((error: unknown) => {
      throw new DeliveryFailed(reasonOf(error, options, late.signal), error instanceof AddressRejected);
    })
    .finally(cancelTimer);
  if (status >= 200 && status < 300) return status;
  const { finalStatuses = usualFinalStatuses } = options;
  throw new DeliveryFailed(`the target answered ${status}`, finalStatuses.has(status), status);
}

async function post(
  target: Target,
  { headers, body }: OutboundMessage,
  { rules, resolve }: SendOptions,
  signal: AbortSignal,
): Promise<number> {
  // A resolver itself cannot be stopped.
  const pinned = await abortable(pin(target.url, rules, resolve), signal);
  const { status, answer } = await exchange(pinned, { method: "POST", headers, body }, signal);
  // Only the status counts: the body is not read.
  answer.destroy();
  return status;
}

function reasonOf(error: unknown, { timeout, signal }: SendOptions, late: AbortSignal): string {
  if (error instanceof AddressRejected) return `its address is not called: ${error.message}`;
  if (signal.aborted) return "the process ends";
  if (late.aborted) return `it took longer than ${timeout / 1_000} s`;
  const { code } = error as { code?: string };
  return `it cannot be reached (${code ?? "no reason given"})`;
}
