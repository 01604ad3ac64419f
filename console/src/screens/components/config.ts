/** Configs: the options of a component as JSON, which replace those of its definition in code. */

export type Config = Readonly<Record<string, unknown>>;

/** The options that runs use: those of a config, and the code's where the config has none. Null removes an option. */
export function effective(code: Config | undefined, config: Config): Config {
  const entries = Object.entries({ ...code, ...config }).filter(([, value]) => value !== null);
  return Object.fromEntries(entries);
}

/** Returns a config with another value of an option. A value equal to the code's is not part of a config. */
export function withOption(code: Config | undefined, config: Config, option: string, value: unknown): Config {
  const { [option]: _, ...others } = config;
  const ofCode = code?.[option];
  if (isEqual(value, ofCode)) return others;
  if (isEmpty(value)) return ofCode === undefined ? others : { ...others, [option]: null };
  return { ...others, [option]: value };
}

/** A list without items replaces the code's list. */
function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === "";
}

export function isEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** A changed option, as texts. An absent option has an empty text. */
export interface OptionChange {
  readonly option: string;
  readonly before: string;
  readonly after: string;
}

/** The options that differ. */
export function changesBetween(before: Config, after: Config): readonly OptionChange[] {
  const options = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return options
    .filter((option) => !isEqual(before[option], after[option]))
    .map((option) => ({ option, before: textOf(before[option]), after: textOf(after[option]) }));
}

function textOf(value: unknown): string {
  if (value === undefined) return "";
  if (typeof value === "string") return value;
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value.join("\n");
  return JSON.stringify(value, null, 2);
}

/** The option that an error of the server is about: `Agent "x": tools names "y", …` is about `tools`. */
export function optionIn(message: string): string | undefined {
  const [, unknown, option] = /^\w+ "[^"]*"(?: has no option "(\w+)"|: ([a-zA-Z]+))/.exec(message) ?? [];
  return unknown ?? option;
}
