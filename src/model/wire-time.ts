/** Formats a time in milliseconds as ISO 8601 with microseconds, as in the requirements of pauses. */
export function toWireTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace("Z", "000+00:00");
}
