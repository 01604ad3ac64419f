/** One clock for all processes of the machine, because emit and receipt are in different processes. */

/** Milliseconds of the machine's monotonic clock. */
export function now(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}

/** The same clock in whole microseconds, as written into an event. */
export function stamp(): string {
  return `@${Math.round(now() * 1000)} `;
}

export const sleep = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));
