/** Structured answers: the shape a component or a caller asks for, and what the model's text comes to against it. */
import type { JSONSchema7 } from "@ai-sdk/provider";
import type { z } from "zod";
import { writableShape } from "../../define/json-shape.ts";
import type { Component } from "../../define/platform.ts";
import { RunFailure, type RunScope } from "../loops/contract.ts";
import { bareSchema, compileSchema } from "./caller-schema.ts";
import type { CallOptions } from "./model-adapter.ts";

/** The shape of an answer. */
export interface AnswerSchema {
  /** `content_type` of the answer on the wire. */
  readonly name: string;
  readonly jsonSchema: Readonly<Record<string, unknown>>;
  readonly responseFormat: NonNullable<CallOptions["responseFormat"]>;
  /** The answer that the text holds, or what is wrong with it, for the model. */
  read(text: string): Promise<{ readonly value: unknown } | { readonly fault: string }>;
}

/** Wire name of an answer whose schema has no title, as the contract's clients know it. */
const untitled = "dict";

const ofDefinitions = new WeakMap<z.ZodType, AnswerSchema>();

/** The shape that the run's answer must have: the caller's for the run that was started, else the definition's. */
export function answerSchemaOf(scope: RunScope): AnswerSchema | undefined {
  const { component, context, options } = scope;
  if (options.outputSchema && context.runId === context.rootRunId) return fromCaller(options.outputSchema);
  return component.output && fromDefinition(component, component.output);
}

function fromDefinition(component: Component, output: z.ZodType): AnswerSchema {
  const known = ofDefinitions.get(output);
  if (known) return known;
  const jsonSchema = writableShape(component.name, output);
  closeObjects(jsonSchema);
  const made = toAnswerSchema(jsonSchema, (value) => output.safeParseAsync(value), `${component.id}_answer`);
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

/** @throws RunFailure for a schema that cannot be matched with the answer within its bounds */
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
  // Providers take letters, digits, "_" and "-" only.
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

/** One line for each fault, fit for a model to mend them. */
export function faultsOf(error: z.ZodError): string {
  const lines = error.issues.map(
    ({ path, message }) => `- ${path.length > 0 ? path.map(String).join(".") : "(whole)"}: ${message}`,
  );
  return lines.slice(0, 20).join("\n");
}

/** The JSON in a text. Models like to wrap it in fences or sentences. */
function jsonIn(text: string): unknown {
  const start = text.search(/[[{]/);
  const inner = start < 0 ? undefined : text.slice(start, Math.max(text.lastIndexOf("}"), text.lastIndexOf("]")) + 1);
  for (const candidate of [text, fenced(text), inner]) {
    if (candidate === undefined) continue;
    try {
      return JSON.parse(candidate);
    } catch {
      // The next candidate may be it.
    }
  }
  return undefined;
}

const fence = "```";

/** What stands in the first fence. A regular expression for it takes quadratic time where the fence is not closed. */
function fenced(text: string): string | undefined {
  const opening = text.indexOf(fence);
  const closing = opening < 0 ? -1 : text.indexOf(fence, opening + fence.length);
  return closing < 0 ? undefined : text.slice(opening + fence.length, closing).replace(/^json\b/, "");
}

/** Strict modes of providers want every object closed. */
function closeObjects(schema: unknown): void {
  if (typeof schema !== "object" || schema === null) return;
  const node = schema as Record<string, unknown>;
  if (node.type === "object" && node.properties && node.additionalProperties === undefined) {
    node.additionalProperties = false;
  }
  for (const child of Object.values(node)) closeObjects(child);
}
