/** Structured answers: the shape a component or a caller asks for, and what the model's text comes to against it. */
import type { JSONSchema7 } from "@ai-sdk/provider";
import { z } from "zod";
import { writableShape } from "../../define/json-shape.ts";
import type { Component } from "../../define/platform.ts";
import { RunFailure, type RunScope } from "../loop-seam.ts";
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
  const made = toAnswerSchema(jsonSchema, output, `${component.id}_answer`);
  ofDefinitions.set(output, made);
  return made;
}

function fromCaller(given: Readonly<Record<string, unknown>>): AnswerSchema {
  // The form in which OpenAI's interface takes a schema is known, too: {type: "json_schema", json_schema: {name, schema}}.
  const { name, schema } = (given.json_schema ?? {}) as { name?: unknown; schema?: unknown };
  const bare = (typeof schema === "object" && schema !== null ? schema : given) as Readonly<Record<string, unknown>>;
  const jsonSchema = typeof name === "string" && bare.title === undefined ? { ...bare, title: name } : bare;
  try {
    const draft = jsonSchema.definitions && !jsonSchema.$defs ? "draft-7" : "draft-2020-12";
    const checked = withoutPatterns(jsonSchema) as Parameters<typeof z.fromJSONSchema>[0];
    const type = z.fromJSONSchema(checked, { defaultTarget: draft, registry: z.registry() });
    return toAnswerSchema(jsonSchema, type, "answer");
  } catch (error) {
    const reason = error instanceof RangeError ? "it is nested too deeply" : (error as Error).message;
    throw new RunFailure("invalid_output_schema", `The output schema of this run cannot be used: ${reason}`, error);
  }
}

function toAnswerSchema(
  jsonSchema: Readonly<Record<string, unknown>>,
  type: z.ZodType,
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
      const parsed = parseJson(text);
      if (parsed === undefined) return { fault: "It is not JSON." };
      const result = await type.safeParseAsync(parsed);
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

/** The JSON in a text, also between fences or sentences, as models like to wrap it. */
function parseJson(text: string): unknown {
  const fenced = /```(?:json)?\s*([\s\S]*?)```/.exec(text)?.[1];
  const start = text.search(/[[{]/);
  const inner = start < 0 ? undefined : text.slice(start, Math.max(text.lastIndexOf("}"), text.lastIndexOf("]")) + 1);
  for (const candidate of [text, fenced, inner]) {
    if (candidate === undefined) continue;
    try {
      return JSON.parse(candidate);
    } catch {
      // The next candidate may be it.
    }
  }
  return undefined;
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

/** A caller's regular expressions are told to the model but not run here: a malicious one would hold up the whole process. */
function withoutPatterns(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutPatterns);
  if (typeof schema !== "object" || schema === null) return schema;
  const kept = Object.entries(schema).filter(
    ([key, value]) => !(key === "patternProperties" || (key === "pattern" && typeof value === "string")),
  );
  return Object.fromEntries(kept.map(([key, value]) => [key, withoutPatterns(value)]));
}
