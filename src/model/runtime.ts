/** The runtime environment. Time and randomness are passed in, so that a simulation can control them. */

import type { Measurements } from "./measurements.ts";

/** Time: wall time for display, monotonic time for measurements. */
export interface Clock {
  /** Wall time in milliseconds since the epoch. For display only: ordering and leases never depend on it. */
  now(): number;
  /** Monotonic time in milliseconds. */
  monotonic(): number;
  /** Resolves after `milliseconds`, or at once (without an error) when `signal` aborts. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** Calls back once after `milliseconds`; the returned function cancels it. The timer does not keep the process alive. */
  after(milliseconds: number, callback: () => void): () => void;
  /** Calls back after the work that is ready now has run (one turn of the event loop). */
  defer(callback: () => void): void;
}

/** Source of randomness. */
export interface Randomness {
  /** A version 4 UUID (RFC 9562 section 5.4). */
  uuid(): string;
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  fraction(): number;
}

/** A structured log with one line per entry. It must never receive a token, a key or a prompt. */
export interface Log {
  debug(fields: Record<string, unknown>, message: string): void;
  info(fields: Record<string, unknown>, message: string): void;
  warn(fields: Record<string, unknown>, message: string): void;
  error(fields: Record<string, unknown>, message: string): void;
}

/** The runtime environment, passed to all layers below `http/`. */
export interface Runtime {
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
  readonly measurements: Measurements;
}
