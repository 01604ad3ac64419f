/** Repeats checks of the compiler, because an app may run without a type check. */
import { ConfigurationError } from "../errors.ts";

/** All options by name. A record, so that the compiler reports a missing option. */
export type Known<Options> = Readonly<Record<keyof Options, true>>;

/**
 * Rejects an unknown option and suggests the nearest name. `kind` is allowed, because a definition contains it when
 * it is spread into another one.
 */
export function refuseUnknown<Options>(title: string, options: object, known: Known<Options>): void {
  const names = Object.keys(known);
  const unknown = Object.keys(options).find((name) => !(name in known) && name !== "kind");
  if (unknown === undefined) return;
  throw new ConfigurationError(`${title} has no option "${unknown}": ${suggestion(unknown, names)}`);
}

/** Returns a hint for an unknown name: the nearest known name, otherwise all known names. */
export function suggestion(unknown: string, names: readonly string[]): string {
  const meant = nearestOf(unknown, names);
  return meant ? `did you mean "${meant}"?` : `there are ${names.join(", ")}.`;
}

/** Returns the name that differs least from an unknown one, by at most two letters; undefined when every name differs more. */
export function nearestOf(unknown: string, names: readonly string[]): string | undefined {
  const distances = names.map((name) => ({ name, letters: distance(name.toLowerCase(), unknown.toLowerCase()) }));
  const nearest = distances.reduce((best, other) => (other.letters < best.letters ? other : best));
  return nearest.letters <= 2 ? nearest.name : undefined;
}

/** Returns what is wrong with the value of an option; undefined for a valid value. */
export type Check = (value: unknown) => string | undefined;

export const text: Check = (value) => (isText(value) ? undefined : "must be a text");
export const flag: Check = (value) => (typeof value === "boolean" ? undefined : "must be true or false");

export const positive: Check = (value) =>
  Number.isFinite(value) && Number(value) > 0 ? undefined : "must be a number above 0";

export function oneOf(choices: readonly string[]): Check {
  return (value) => (choices.includes(value as string) ? undefined : `must be one of ${choices.join(", ")}`);
}

export function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

/** Throws for the first option with an invalid value. */
export function checkAll(title: string, options: object, all: Readonly<Record<string, Check>>): void {
  for (const [name, value] of Object.entries(options)) {
    const fault = value === undefined ? undefined : all[name]?.(value);
    if (fault !== undefined) throw new ConfigurationError(`${title}: ${name} ${fault}.`);
  }
}

/** Rejects a list with an item that was not created by one of the named functions. */
export function refuseOthers(
  title: string,
  field: string,
  items: unknown,
  makers: Readonly<Record<string, string>>,
): void {
  const kinds = Object.keys(makers);
  const made = Object.values(makers).join(" or ");
  if (items !== undefined && !Array.isArray(items)) {
    throw new ConfigurationError(`${title}: ${field} must be a list of what ${made} makes.`);
  }
  for (const [place, item] of (items ?? []).entries()) {
    const { kind } = (item ?? {}) as { kind?: unknown };
    if (kinds.includes(String(kind))) continue;
    const found = typeof kind === "string" ? ` It is of kind ${kind}.` : "";
    throw new ConfigurationError(`${title}: number ${place + 1} of its ${field} was not made by ${made}.${found}`);
  }
}

/** Rejects a factory in place of a component: a factory gets its input from a start request, so only a root run can use it. */
export function refuseFactories(title: string, items: readonly unknown[]): void {
  const factory = items.find((item) => typeof item === "object" && item !== null && "isFactory" in item);
  if (factory === undefined) return;
  const { id } = factory as { readonly id?: unknown };
  throw new ConfigurationError(`${title} holds the factory "${id}": write a factory that builds all of it instead.`);
}

/** Returns the edit distance of two texts: the number of letters to change, add or remove. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, place) => place);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const changed = (row[j - 1] as number) + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[other.length] as number;
}
