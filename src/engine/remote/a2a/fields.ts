/** Members of what another server sends, whatever it is that it sends. */
export type Fields = Readonly<Record<string, unknown>>;

/** Those of an object; none of anything else. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}
