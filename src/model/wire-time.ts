/** A time, given in milliseconds, as requirements of pauses show it: ISO with microseconds. */
export function toWireTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace("Z", "000+00:00");
}
