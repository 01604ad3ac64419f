/** Texts that every database stores: Postgres accepts neither NUL nor unpaired surrogates. */

export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}

/** Whether all texts of a JSON value, and all names of its members, are storable. Postgres cannot read JSON with others. */
export function isStorableJson(value: unknown): boolean {
  if (typeof value === "string") return isStorable(value);
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(([name, member]) => isStorable(name) && isStorableJson(member));
}
