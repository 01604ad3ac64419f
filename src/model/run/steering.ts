/** Messages that callers put into a live run. Each is a mark of the run until the run takes it as a message of its conversation. */

/** When a run takes a message. `queue`: before its next model request. `interrupt`: at once; a model request in progress is stopped. */
export const steeringModes = ["queue", "interrupt"] as const;

/** See `steeringModes`. */
export type SteeringMode = (typeof steeringModes)[number];

/** An accepted message: the body of its mark. */
export interface SteeringMessage {
  readonly id: string;
  readonly content: string;
  readonly mode: SteeringMode;
  /** The user who sent it, if the run belongs to another one. */
  readonly userId?: string;
  /** Digests of the sender's idempotency key, and of the request. */
  readonly key?: string;
  readonly fingerprint?: string;
}

/** A message with its number in the run, from 1. */
export interface NumberedMessage extends SteeringMessage {
  readonly number: number;
}

/** Max messages that a run accepts in total. */
export const maxSteeringMessages = 1_000;

/** Prefix of the names of the marks. */
export const steeringPrefix = "steering/";

/** The mark of a message. Names are in the order of the numbers. */
export function steeringName(number: number): string {
  return `${steeringPrefix}${String(number).padStart(6, "0")}`;
}

/** The number in the name of such a mark; undefined for other marks. */
export function steeringNumber(name: string): number | undefined {
  return name.startsWith(steeringPrefix) ? Number(name.slice(steeringPrefix.length)) : undefined;
}
