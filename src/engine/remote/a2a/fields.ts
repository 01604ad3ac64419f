/** Fields of untrusted JSON from another server. */
export type Fields = Readonly<Record<string, unknown>>;

/** Returns the fields of an object; empty for any other value. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}
