/** Log lines for people: time, level, message and fields, with the stack of an error below. */
import { inspect, styleText } from "node:util";
import type { Log } from "../model/runtime.ts";
import { jsonLog } from "../platform/runtime.ts";
import { printable } from "./printable.ts";

type Style = Parameters<typeof styleText>[0];

/** Names and styles of pino's levels. */
const levels: Readonly<Record<number, readonly [name: string, style: Style]>> = {
  20: ["debug", "gray"],
  30: ["info", "green"],
  40: ["warn", "yellow"],
  50: ["error", "red"],
  60: ["fatal", "red"],
};

/** Returns a log of readable lines from `level` on, on standard error. */
export function readableLog(level: string, fields: Readonly<Record<string, unknown>> = {}): Log {
  return jsonLog(level, { write: (line) => void process.stderr.write(readable(line)) }, fields);
}

/** Converts a line of JSON to a readable one. @param style colours a text; by default as standard error allows */
export function readable(
  line: string,
  style: (format: Style, text: string) => string = (format, text) =>
    styleText(format, text, { stream: process.stderr }),
): string {
  const { level, time, pid: _, hostname: __, msg = "", error, ...fields } = JSON.parse(line);
  const [name, colour] = levels[level] ?? [String(level), "gray"];
  const at = new Date(time).toTimeString().slice(0, 8);
  const shown = Object.entries(fields).map(([field, value]) => `${style("gray", `${field}=`)}${oneLine(value)}`);
  const first = [style("gray", at), style(colour, name.padEnd(5)), printable(String(msg)), ...shown].join(" ");
  return [first, ...errorLines(error)].join("\n").concat("\n");
}

function oneLine(value: unknown): string {
  return printable(typeof value === "string" && /^[\w./:@-]+$/.test(value) ? value : JSON.stringify(value));
}

function errorLines(error: unknown): readonly string[] {
  if (error === undefined) return [];
  const { type: _, message: __, stack, ...more } = Object(error) as Record<string, unknown>;
  const text = typeof stack === "string" ? stack : inspect(error, { breakLength: 120 });
  const rest = typeof stack === "string" && Object.keys(more).length > 0 ? [inspect(more, { depth: 8 })] : [];
  return [text, ...rest].flatMap((each) => each.split("\n")).map((each) => `  ${printable(each)}`);
}
