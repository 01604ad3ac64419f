/** A time in the form of listings: UTC, whole seconds. */
export function isoSeconds(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}
