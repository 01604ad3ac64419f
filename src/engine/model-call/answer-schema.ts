/** Structured answers: the schema that a component or a caller requires, and the check of the model's text against it. */
import type { JSONSchema7 } from "@ai-sdk/provider";
import type { z } from "zod";
import { writableShape } from "../../define/json-shape.ts";
import { RunFailure, type RunScope } from "../loops/contract.ts";
import { bareSchema, compileSchema } from "./caller-schema.ts";
import type { CallOptions } from "./model-adapter.ts";

/** The schema of an answer. */
export interface AnswerSchema {
  /** `content_type` of the answer on the wire. */
  readonly name: string;
  readonly jsonSchema: Readonly<Record<string, unknown>>;
  readonly responseFormat: NonNullable<CallOptions["responseFormat"]>;
  /** Returns the parsed answer, or a description of its fault for the model. */
  read(text: string): Promise<{ readonly value: unknown } | { readonly fault: string }>;
}

/** Wire name of an answer whose schema has no title; clients of the contract expect it. */
const untitled = "dict";

const ofDefinitions = new WeakMap<z.ZodType, AnswerSchema>();

/** Returns the schema of the run's answer: the caller's for the root run, otherwise the definition's. */
export function answerSchemaOf(scope: RunScope): AnswerSchema | undefined {
  const { component, context, options } = scope;
  if (options.outputSchema && context.runId === context.rootRunId) return fromCaller(options.outputSchema);
  return component.output && schemaOf(component.output, component.name, `${component.id}_answer`);
}

/**
 * Returns the schema of an answer in the form of a zod schema.
 * @param owner names the schema's owner in errors
 * @param name of a schema without a title
 */
export function schemaOf(output: z.ZodType, owner: string, name: string): AnswerSchema {
  const known = ofDefinitions.get(output);
  if (known) return known;
  const jsonSchema = writableShape(owner, output);
  closeObjects(jsonSchema);
  const made = toAnswerSchema(jsonSchema, (value) => output.safeParseAsync(value), name);
  ofDefinitions.set(output, made);
  return made;
}

function fromCaller(given: Readonly<Record<string, unknown>>): AnswerSchema {
  const jsonSchema = bareSchema(given);
  try {
    const match = compileSchema(jsonSchema);
    return toAnswerSchema(jsonSchema, async (value) => matched(match, value), "answer");
  } catch (error) {
    throw unusable(error instanceof RangeError ? "it is nested too deeply" : (error as Error).message, error);
  }
}

/** @throws RunFailure when the check of the answer exceeds the bounds */
function matched(match: ReturnType<typeof compileSchema>, value: unknown): ReturnType<typeof match> {
  try {
    return match(value);
  } catch (error) {
    throw unusable("to match an answer with it takes too long", error);
  }
}

function unusable(reason: string, cause: unknown): RunFailure {
  return new RunFailure("invalid_output_schema", `The output schema of this run cannot be used: ${reason}`, cause);
}

function toAnswerSchema(
  jsonSchema: Readonly<Record<string, unknown>>,
  match: (value: unknown) => Promise<z.ZodSafeParseResult<unknown>>,
  fallback: string,
): AnswerSchema {
  const title = typeof jsonSchema.title === "string" && jsonSchema.title.trim() ? jsonSchema.title : undefined;
  // Providers accept only letters, digits, "_" and "-".
  const name = (title ?? fallback).replace(/[^\w-]+/g, "_").slice(0, 64);
  return {
    name: title ?? untitled,
    jsonSchema,
    responseFormat: { type: "json", schema: jsonSchema as JSONSchema7, name },
    async read(text) {
      const parsed = jsonIn(text);
      if (parsed === undefined) return { fault: "It is not JSON." };
      const result = await match(parsed);
      return result.success ? { value: result.data } : { fault: faultsOf(result.error) };
    },
  };
}

/** Returns one line for each fault, so that the model can correct them. */
export function faultsOf(error: z.ZodError): string {
  const lines = error.issues.map(
    ({ path, message }) => `- ${path.length > 0 ? path.map(String).join(".") : "(whole)"}: ${message}`,
  );
  return lines.slice(0, 20).join("\n");
}

/** Finds the JSON in a text. Models often wrap it in code fences or sentences. */
export function jsonIn(text: string): unknown {
  const start = text.search(/[[{]/);
  const inner = start < 0 ? undefined : text.slice(start, Math.max(text.lastIndexOf("}"), text.lastIndexOf("]")) + 1);
  for (const candidate of [text, fenced(text), inner]) {
    if (candidate === undefined) continue;
    try {
      return JSON.parse(candidate);
    } catch {
      // Try the next candidate.
    }
  }
  return undefined;
}

const fence = "```";

/** Returns the content of the first fence. A regular expression would take quadratic time when the fence is not closed. */
function fenced(text: string): string | undefined {
  const opening = text.indexOf(fence);
  const closing = opening < 0 ? -1 : text.indexOf(fence, opening + fence.length);
  return closing < 0 ? undefined : text.slice(opening + fence.length, closing).replace(/^json\b/, "");
}

/** Strict modes of providers require every object to be closed. */
function closeObjects(schema: unknown): void {
  if (typeof schema !== "object" || schema === null) return;
  const node = schema as Record<string, unknown>;
  if (node.type === "object" && node.properties && node.additionalProperties === undefined) {
    node.additionalProperties = false;
  }
  for (const child of Object.values(node)) closeObjects(child);
}
