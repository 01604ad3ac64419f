/** A workflow's input: its message, parsed with the schema of its `input`. */
import { z } from "zod";
import type { Workflow } from "../../../define/workflow/types.ts";
import { type FieldFault, TroupeError, valueFault } from "../../../errors.ts";
import { BadJson, parseJson } from "../../../model/json-text.ts";
import { faultsOf } from "../../model-call/answer-schema.ts";
import { RunFailure } from "../contract.ts";

type Shape = NonNullable<Workflow["input"]>;
type Parsed = Awaited<ReturnType<Shape["safeParseAsync"]>>;

/** Zod's issue codes for a value of a different kind. */
const wrongKinds: readonly string[] = ["invalid_type", "invalid_value", "invalid_union"];

/** Maximum number of faults reported for one message. */
const maxFaults = 20;

/** Returns the input for the workflow's steps. @throws RunFailure */
export async function readInput({ input: shape, name }: Workflow, message: string): Promise<unknown> {
  if (!shape) return message;
  const result = await parse(shape, message);
  if (result.success) return result.data;
  throw new RunFailure("invalid_input", `The input of ${name} does not fit:\n${faultsOf(result.error)}`);
}

/** Rejects a message that does not fit before the run is created. @throws TroupeError `validation` */
export async function refuseMisfit({ input: shape }: Pick<Workflow, "input">, message: string): Promise<void> {
  const result = shape && (await parse(shape, message));
  if (!result || result.success) return;
  const texts: string[] = [];
  const faults: FieldFault[] = [];
  for (const { path, message: text } of result.error.issues.slice(0, maxFaults)) {
    const loc = ["body", "message", ...path.map((part) => (typeof part === "symbol" ? String(part) : part))];
    texts.push(`${loc.join(".")}: ${text}`);
    faults.push(valueFault(loc, text));
  }
  throw new TroupeError("validation", texts.join("; "), { faults });
}

/**
 * Parses the message as text if the schema accepts it, otherwise as JSON. If neither fits, the faults refer to the kind that the schema expects.
 */
async function parse(shape: Shape, message: string): Promise<Parsed> {
  const asText = await shape.safeParseAsync(message);
  if (asText.success) return asText;
  const { issues } = asText.error;
  let value: unknown;
  try {
    value = parseJson(message);
  } catch (error) {
    if (!(error instanceof BadJson)) throw error;
    if (issues.some(({ code }) => code !== "invalid_type")) return asText;
    const text = `Invalid JSON: ${error.message}`;
    return { success: false, error: new z.ZodError([{ code: "custom", path: [], message: text, input: message }]) };
  }
  const asJson = await shape.safeParseAsync(value);
  const wantsText = issues.some(({ code, path }) => path.length > 0 || !wrongKinds.includes(code));
  return asJson.success || !wantsText ? asJson : asText;
}
