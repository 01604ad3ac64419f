/** Texts of users, models, tools and documents inside a prompt: none of them can end or open a section of the prompt. */
import { createHash } from "node:crypto";

/** Between `<` and the name of a tag, models ignore a slash, white space and invisible characters. */
const filler = "[\\s/\\p{Cf}]*";

/** The sections of a system message: a text in one of them opens none of the others. */
export const systemSections: readonly string[] = [
  ...["your_role", "members", "memories", "learnings", "knowledge", "reasoning"],
  "summary_of_earlier_conversation",
];

const patterns = new Map<string, RegExp>();

/**
 * Returns the text between the tags of a section. Every opening or closing tag of the section in the text is escaped (`&lt;`), all other markup stays as
 * it is: the text may be code. The result depends on the text only, so that a later attempt sends the same prompt.
 * @param name name of the tag
 * @param others names of other tags that the text must not contain: sections around this one, and sections in it
 */
export function toSection(name: string, text: string, others: readonly string[] = []): string {
  return `<${name}>\n${withoutTags(text, [name, ...others])}\n</${name}>`;
}

/** As `toSection`, with an attribute in the opening tag. */
export function toNamedSection(name: string, attribute: Readonly<Record<string, string>>, text: string): string {
  const shown = Object.entries(attribute).map(([key, value]) => ` ${key}=${toJsonLine(value)}`);
  return `<${name}${shown.join("")}>\n${withoutTags(text, [name])}\n</${name}>`;
}

/**
 * As `toNamedSection`, for a file, which the model may have to return as it is. The text is unchanged. If it contains a tag of the section, the tags of the
 * section end with a hash of the text, which the text itself cannot contain.
 */
export function toFileSection(name: string, text: string): string {
  const hash =
    withoutTags(text, ["file"]) === text ? "" : `-${createHash("sha256").update(text).digest("hex").slice(0, 16)}`;
  return `<file${hash} name=${toJsonLine(name)}>\n${text}\n</file${hash}>`;
}

/** Returns the text with escaped tags of these names: `</user>` becomes `&lt;/user>`. */
export function withoutTags(text: string, names: readonly string[]): string {
  return text.includes("<") ? text.replace(patternOf(names), "&lt;") : text;
}

/** Returns the value as one line of JSON without angle brackets. */
export function toJsonLine(value: unknown): string {
  return JSON.stringify(value).replaceAll("<", "\\u003c").replaceAll(">", "\\u003e");
}

function patternOf(names: readonly string[]): RegExp {
  const key = names.join("|");
  const known = patterns.get(key);
  if (known) return known;
  const made = new RegExp(`<(?=${filler}(?:${key})(?![\\w-]))`, "giu");
  patterns.set(key, made);
  return made;
}
