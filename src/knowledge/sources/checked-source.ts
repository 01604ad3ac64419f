/** Checks the options that all sources have. */
import type { ContentSource } from "../../define/knowledge.ts";
import { ConfigurationError } from "../../errors.ts";

/** Options of every source. */
export interface SourceOptions {
  /** Identifier in URLs: letters, digits, `-`, `_` and `.`. */
  readonly id: string;
  /** Display name. Default: the id. */
  readonly name?: string;
  /** Callers list and add only files whose paths begin with it. Default: all files. */
  readonly prefix?: string;
}

/** Makes a source of a type. `required` are options that must be texts. @throws ConfigurationError */
export function checkedSource(
  type: string,
  { id, name, prefix = "" }: SourceOptions,
  metadata: Readonly<Record<string, string>>,
  required: Readonly<Record<string, unknown>>,
  calls: Pick<ContentSource, "list" | "read">,
): ContentSource {
  const title = `Source "${id}"`;
  if (typeof id !== "string" || !/^[\w.-]{1,100}$/.test(id))
    throw new ConfigurationError(`${title}: its id must have 1 to 100 letters, digits, -, _ and dots.`);
  for (const [option, value] of Object.entries(required)) {
    if (typeof value !== "string" || value === "") throw new ConfigurationError(`${title}: ${option} must be a text.`);
  }
  if (prefix.startsWith("/") || prefix.split("/").includes(".."))
    throw new ConfigurationError(`${title}: prefix must not begin with / or contain "..".`);
  return { id, name: name ?? id, type, prefix, metadata, ...calls };
}
