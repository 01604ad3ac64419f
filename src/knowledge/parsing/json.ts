/** Writes JSON as lines with the path of each value. */
import { oneLine } from "./rows.ts";
import type { TextBuilder } from "./text-builder.ts";
import { Unreadable } from "./unreadable.ts";

const maxDepth = 100;

/** Writes a JSON text, or JSON Lines. Returns whether it consists of rows. @throws Unreadable */
export function parseJson(source: string, text: TextBuilder): boolean {
  const trimmed = source.replace(/^\ufeff/, "").trim();
  if (trimmed === "") return false;
  const values = valuesOf(trimmed);
  if (values) {
    for (const value of values) text.add(`${[...leavesOf(value, "", 0)].join("; ")}\n`);
    return true;
  }
  for (const line of leavesOf(read(trimmed), "", 0)) text.add(`${line}\n`);
  return false;
}

/** The rows of an array of objects, or of JSON Lines; undefined for another value. */
function valuesOf(source: string): readonly unknown[] | undefined {
  if (/^\{.*\}[ \t]*\r?\n\s*\{/.test(source)) {
    const lines = source.split("\n").filter((line) => line.trim() !== "");
    if (isJson(lines[0] ?? "")) return lines.map((line, place) => read(line, place + 1));
  }
  if (!source.startsWith("[")) return undefined;
  const value = read(source);
  return Array.isArray(value) && value.every((item) => typeof item === "object") ? value : undefined;
}

function isJson(source: string): boolean {
  try {
    JSON.parse(source);
    return true;
  } catch {
    return false;
  }
}

function read(source: string, line?: number): unknown {
  try {
    return JSON.parse(source);
  } catch (error) {
    const place = line === undefined ? "The file" : `Line ${line}`;
    throw new Unreadable(`${place} is not valid JSON: ${oneLine((error as Error).message).slice(0, 200)}`);
  }
}

function* leavesOf(value: unknown, path: string, depth: number): Generator<string> {
  if (depth > maxDepth) throw new Unreadable(`The JSON is nested deeper than ${maxDepth} levels.`);
  if (value === null || value === "") return;
  if (typeof value !== "object") {
    const content = oneLine(String(value));
    yield path === "" ? content : `${path}: ${content}`;
  } else if (Array.isArray(value)) {
    // A list of plain values is one line.
    if (value.every((item) => item === null || typeof item !== "object")) {
      if (value.length > 0)
        yield `${path === "" ? "" : `${path}: `}${value.map((item) => oneLine(String(item))).join(", ")}`;
    } else for (const [place, item] of value.entries()) yield* leavesOf(item, `${path}[${place}]`, depth + 1);
  } else {
    for (const [key, item] of Object.entries(value))
      yield* leavesOf(item, path === "" ? key : `${path}.${key}`, depth + 1);
  }
}
