/** Common parameters, and the parser of parameters. It accepts both names of protocol buffers' members (`taskId`, `task_id`). */
import { z } from "zod";
import { parseBounded } from "../../../../http/input/bounded-lists.ts";
import { identifierOrEmpty } from "../../../../http/input/identifiers.ts";
import type { Metadata } from "../../protocol.ts";
import { A2aError } from "../errors.ts";

const object = z.record(z.string(), z.unknown());

/** An id; an empty one means none, as in protocol buffers. */
export const id: z.ZodType<string> = identifierOrEmpty;
export const requiredId: z.ZodType<string> = identifierOrEmpty.min(1);
export const optionalId: z.ZodType<string | undefined> = id.nullish().transform((text) => text || undefined);

export const metadata: z.ZodType<Metadata | null | undefined> = object.nullish();

export const historyLength: z.ZodType<number | undefined> = z
  .int()
  .min(0)
  .nullish()
  .transform((length) => length ?? undefined);

/** @throws A2aError that names the first invalid member */
export function parseParams<Schema extends z.ZodType>(schema: Schema, params: unknown): z.output<Schema> {
  const result = parseBounded(schema, camel(params));
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const field = issue?.path.join(".") ?? "";
  const where = field === "" ? "the parameters" : field;
  throw new A2aError("invalidParams", `Invalid parameters: ${where}: ${issue?.message ?? "cannot be read"}`, {
    about: { field },
  });
}

/** Members with free-form content. */
const free: ReadonlySet<string> = new Set(["metadata", "data"]);

/** No known member has a longer name, in characters. */
const maxNameLength = 100;

/** Maximum number of members of an object, except in free-form content. */
const maxMembers = 1_000;

/** The value with its member names in JSON's camel case. Free-form content stays unchanged. */
export function camel(value: unknown): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new A2aError("invalidParams", "Invalid parameters: they must be an object");
  }
  return camelOf(value) as Record<string, unknown>;
}

function camelOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(camelOf);
  if (typeof value !== "object" || value === null) return value;
  const given = Object.entries(value);
  if (given.length > maxMembers)
    throw new A2aError("invalidParams", "Invalid parameters: an object has too many members");
  const members = given.map(([name, member]) => {
    const inJson =
      name.length > maxNameLength ? name : name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    return [inJson, free.has(inJson) ? member : camelOf(member)] as const;
  });
  return Object.fromEntries(members);
}
