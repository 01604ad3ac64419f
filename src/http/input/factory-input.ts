/** The input that a factory builds a component from. */
import { TroupeError } from "../../errors.ts";
import { BadJson, parseJson } from "../../model/json-text.ts";

/** Names of JSON types in the contract's terms. */
function nameOf(value: unknown): string {
  if (value === null) return "NoneType";
  if (Array.isArray(value)) return "list";
  if (typeof value === "string") return "str";
  if (typeof value === "boolean") return "bool";
  return Number.isInteger(value) ? "int" : "float";
}

/** The object in the text; undefined if the text is empty. @throws TroupeError `badRequest` */
export function readFactoryInput(text: string | null | undefined): Record<string, unknown> | undefined {
  if (text === null || text === undefined || text === "") return undefined;
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    if (!(error instanceof BadJson)) throw error;
    throw new TroupeError("badRequest", `factory_input must be valid JSON: ${error.message}`);
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new TroupeError("badRequest", `factory_input must be a JSON object, got ${nameOf(value)}`);
}
