/** Reads filters from the query of the page's URL. Invalid values are ignored, because anyone can edit a URL. */

/** The raw query of a URL. */
export type RawSearch = Readonly<Record<string, unknown>>;

/** A text; undefined if it is missing or empty. */
export function textIn(search: RawSearch, name: string): string | undefined {
  const value = search[name];
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** One of the choices; undefined for any other value. */
export function choiceIn<const Choice extends string>(
  search: RawSearch,
  name: string,
  choices: readonly Choice[],
): Choice | undefined {
  return choices.find((choice) => choice === search[name]);
}

/** A whole number from 1; undefined for any other value. */
export function countIn(search: RawSearch, name: string): number | undefined {
  const value = Number(search[name]);
  return Number.isSafeInteger(value) && value >= 1 ? value : undefined;
}

/** A whole number from 0; undefined for any other value. */
export function indexIn(search: RawSearch, name: string): number | undefined {
  const value = search[name];
  const index = value === "" || value === null ? Number.NaN : Number(value);
  return Number.isSafeInteger(index) && index >= 0 ? index : undefined;
}
