/** What code below the border must not take from the surroundings: time and chance are handed in, so a simulation can own them. */

/** Time. Wall time for what people read, monotonic time for what a process measures. */
export interface Clock {
  /** Wall time in milliseconds since the epoch. For display only: order and leases never depend on it. */
  now(): number;
  /** Monotonic time in milliseconds. */
  monotonic(): number;
  /** Resolves after `milliseconds`, or at once (without an error) when `signal` aborts. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** Calls back once after `milliseconds`; the returned function takes it back. Does not keep the process alive. */
  after(milliseconds: number, callback: () => void): () => void;
  /** Calls back once the work that is ready now has run (a turn of the event loop). */
  defer(callback: () => void): void;
}

/** Chance. */
export interface Randomness {
  /** A version 4 UUID (RFC 9562 section 5.4). */
  uuid(): string;
  /** A number from 0 up to, not including, 1. */
  fraction(): number;
}

/** A structured log: one line an entry. Never given a token, a key or a prompt. */
export interface Log {
  debug(fields: Record<string, unknown>, message: string): void;
  info(fields: Record<string, unknown>, message: string): void;
  warn(fields: Record<string, unknown>, message: string): void;
  error(fields: Record<string, unknown>, message: string): void;
}

/** The surroundings, handed to everything below `http/`. */
export interface Runtime {
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
}
