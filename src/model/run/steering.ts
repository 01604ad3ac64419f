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

/** Stored bytes of accepted messages from which on a run accepts no more. They wait in memory until the run takes them. */
export const maxSteeringBytes: number = 16 * 1024 * 1024;

/** Prefix of the names of the marks. */
export const steeringPrefix = "steering/";

/** Digits of the number in a name. */
const digits = 6;

/** The mark of a message. Names are in the order of the numbers. The key is a part, so that a repeated message is found without reading any. */
export function steeringName(number: number, key?: string): string {
  const name = `${steeringPrefix}${String(number).padStart(digits, "0")}`;
  return key === undefined ? name : `${name}/${key}`;
}

/** The number in the name of such a mark; undefined for other marks. */
export function steeringNumber(name: string): number | undefined {
  const start = steeringPrefix.length;
  return name.startsWith(steeringPrefix) ? Number(name.slice(start, start + digits)) : undefined;
}

/** The idempotency key in the name of such a mark; undefined if it has none. */
export function steeringKey(name: string): string | undefined {
  return name.slice(steeringPrefix.length + digits + 1) || undefined;
}
