/**
 * Long tool results, stored apart from the prompt. The root run stores a result in parts; every later run of the session can read it by its id, also when
 * the prompt no longer contains the call.
 */
import { z } from "zod";
import { readToolResult } from "../../define/context-options.ts";
import { searchTool } from "../../define/knowledge-use.ts";
import { resultName } from "../../model/run/run-marks.ts";
import type { RunScope } from "../loops/contract.ts";
import { type Callable, errorAnswer, type ToolResult } from "../tool-call/callable.ts";

/** Characters of a part. A read of a range decrypts whole parts. */
const partLength = 32_768;

/** Characters around a place that a search shows, and the places that one search shows at most. */
const around = 100;
const maxPlaces = 20;

/** Ids are what the model repeats: short, and never of another session's result. */
const idPattern = /^(\d{1,10})-([0-9a-f]{8})-(\d{1,10})$/;

/** Tools whose results have bounds of their own. The results of a search are read again for citations, so they stay whole. */
function isBounded(tool: string): boolean {
  return tool === readToolResult || tool === searchTool;
}

/** Stores the text of a long result, and returns the result that the model gets. Other results are returned as they are. */
export function shortenResult(scope: RunScope, tool: string, result: ToolResult): ToolResult {
  const { maxToolResult } = scope.component.context ?? {};
  const { text } = result;
  if (maxToolResult === undefined || text.length <= maxToolResult || isBounded(tool)) return result;
  const id = scope.runtime.randomness.uuid().slice(0, 8);
  const size = text.length;
  for (let part = 0; part * partLength < size; part++) {
    const body = text.slice(part * partLength, (part + 1) * partLength);
    scope.past.putResult(resultName({ id, size }, part), body);
  }
  const call = JSON.stringify({ id: `${scope.past.seq}-${id}-${size}`, offset: maxToolResult });
  const note = `[These are the first ${maxToolResult} of ${size} characters. Read the others with ${readToolResult}(${call}).]`;
  return { ...result, text: `${text.slice(0, maxToolResult).toWellFormed()}\n${note}` };
}

const input = z.strictObject({
  id: z.string(),
  offset: z.int().min(0).optional(),
  length: z.int().min(1).optional(),
  find: z.string().min(1).max(200).optional(),
});

const inputSchema = {
  type: "object",
  properties: {
    id: { type: "string", description: "The id that the note of the result contains" },
    offset: { type: "integer", minimum: 0, description: "The first character to read. Default: 0" },
    length: { type: "integer", minimum: 1, description: "The number of characters to read" },
    find: { type: "string", description: "Returns the places that contain this text, instead of a range" },
  },
  required: ["id"],
  additionalProperties: false,
} as const;

/** The tool that reads stored results; none for a component that does not store them. */
export function resultTools(scope: RunScope): readonly Callable[] {
  const { maxToolResult } = scope.component.context ?? {};
  if (maxToolResult === undefined) return [];
  return [
    {
      name: readToolResult,
      description: "Reads a part of a long tool result that is not part of the conversation.",
      ...{ inputSchema, input, timeout: scope.settings.toolTimeout, stopAfterCall: false },
      ifInterrupted: "again",
      run: (given) => readResult(scope, given as z.infer<typeof input>, maxToolResult),
    },
  ];
}

async function readResult(
  scope: RunScope,
  { id, offset = 0, length = Number.POSITIVE_INFINITY, find }: z.infer<typeof input>,
  maxLength: number,
): Promise<ToolResult> {
  const [, seq, name = "", characters] = idPattern.exec(id) ?? [];
  const result = { id: name, size: Number(characters) };
  const part = async (number: number): Promise<string | undefined> =>
    seq === undefined ? undefined : await scope.past.result(Number(seq), resultName(result, number));
  const unknown = errorAnswer(`This session has no stored result with the id ${JSON.stringify(id.slice(0, 40))}.`);
  if (find !== undefined) return (await places(part, result.size, find)) ?? unknown;
  const end = Math.min(result.size, offset + Math.min(length, maxLength));
  let text = "";
  for (let number = Math.floor(offset / partLength); number * partLength < end; number++) {
    const body = await part(number);
    if (body === undefined) return unknown;
    const start = number * partLength;
    text += body.slice(Math.max(0, offset - start), end - start);
  }
  // An offset after the end reads no part, so that the id is checked here.
  if (text === "" && (await part(0)) === undefined) return unknown;
  const rest = end < result.size ? ` The next offset is ${end}.` : " There are no more.";
  return { text: `${text.toWellFormed()}\n[Characters ${offset} to ${end} of ${result.size}.${rest}]`, isError: false };
}

/** Returns the places that contain a text, in either case; undefined if there is no such result. */
async function places(
  part: (number: number) => Promise<string | undefined>,
  size: number,
  find: string,
): Promise<ToolResult | undefined> {
  const pattern = new RegExp(find.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"), "gi");
  const found: string[] = [];
  let window = "";
  let next = 0;
  for (let number = 0; number === 0 || number * partLength < size; number++) {
    const body = await part(number);
    if (body === undefined) return undefined;
    // A place may begin in one part and end in the next one.
    const before = window.slice(-(find.length + 2 * around));
    const start = number * partLength - before.length;
    const isLast = (number + 1) * partLength >= size;
    window = before + body;
    pattern.lastIndex = Math.max(0, next - start);
    for (let match = pattern.exec(window); match; match = pattern.exec(window)) {
      const end = match.index + find.length + around;
      if (end > window.length && !isLast) break;
      if (found.length === maxPlaces) return shown(found, `These are the first ${maxPlaces} places.`);
      const text = window.slice(Math.max(0, match.index - around), end).toWellFormed();
      found.push(`offset ${start + match.index}: ${text}`);
      next = start + match.index + find.length;
    }
  }
  return shown(found, `Places: ${found.length}.`);
}

function shown(found: readonly string[], note: string): ToolResult {
  return { text: [...found, `[${note}]`].join("\n---\n"), isError: false };
}
