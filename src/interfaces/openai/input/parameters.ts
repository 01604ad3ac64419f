/** Parameters of both APIs: those that this server maps, and those that it rejects. Every other parameter is ignored. */
import { z } from "zod";
import { identifier } from "../../../http/input/identifiers.ts";
import { outputSchema } from "../../../http/input/start-form.ts";
import { invalidAt, unsupported } from "../errors.ts";

type Fields = Readonly<Record<string, unknown>>;

const anything = z.unknown().optional();

/** Parameters that are rejected unless they have no effect. */
const rejected: Readonly<
  Record<string, { readonly advice: string; readonly isHarmless: (value: unknown) => boolean }>
> = {
  tools: { advice: "A model here is a component with tools of its own.", isHarmless: isEmpty },
  functions: { advice: "A model here is a component with tools of its own.", isHarmless: isEmpty },
  n: { advice: "A run has one answer.", isHarmless: (value) => value === 1 },
  logprobs: { advice: "Answers have no log probabilities.", isHarmless: (value) => value === false },
  top_logprobs: { advice: "Answers have no log probabilities.", isHarmless: (value) => value === 0 },
  modalities: { advice: "Answers are text.", isHarmless: isTextOnly },
  audio: { advice: "Answers are text.", isHarmless: () => false },
  prompt: { advice: "Instructions are part of a component.", isHarmless: () => false },
};

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function isTextOnly(value: unknown): boolean {
  return Array.isArray(value) && value.length === 1 && value[0] === "text";
}

/** Members of a body that `refuseUnsupported` looks at. */
export const rejectedMembers: Readonly<Record<string, z.ZodType>> = Object.fromEntries(
  Object.keys(rejected).map((name) => [name, anything]),
);

type Nullish<Schema extends z.ZodType> = z.ZodOptional<z.ZodNullable<Schema>>;

/** @throws TroupeError `validation` with the code `unsupported_parameter` */
export function refuseUnsupported(fields: Fields): void {
  for (const [name, { advice, isHarmless }] of Object.entries(rejected)) {
    const value = fields[name];
    if (value !== undefined && value !== null && !isHarmless(value)) throw unsupported(name, advice);
  }
}

/** Members of both bodies. */
export const commonMembers: {
  readonly model: z.ZodString;
  readonly stream: Nullish<z.ZodBoolean>;
  readonly user: Nullish<z.ZodString>;
  readonly metadata: Nullish<z.ZodRecord<z.ZodString, z.ZodUnknown>>;
} = {
  model: z.string().max(1_000),
  stream: z.boolean().nullish(),
  user: identifier.nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
};

/** The session that the metadata name. @throws TroupeError `validation` */
export function sessionIn(metadata: Fields | null | undefined): string | undefined {
  const id = metadata?.session_id;
  if (id === undefined || id === null) return undefined;
  const read = identifier.safeParse(id);
  if (read.success) return read.data;
  throw invalidAt(["metadata", "session_id"], read.error.issues[0]?.message ?? "This must be the id of a session.");
}

/** The form of an answer: `format` of a response, or `response_format` of a chat completion. */
export const formatSchema: z.ZodType<Fields> = z.record(z.string(), z.unknown());

/**
 * The JSON Schema of the answer that a format requests; undefined for text.
 *
 * @throws TroupeError `validation` for another format, or a schema that cannot be used
 */
export function schemaIn(
  format: Fields | null | undefined,
  path: readonly string[],
): Record<string, unknown> | undefined {
  if (!format || format.type === "text") return undefined;
  if (format.type !== "json_schema")
    throw invalidAt(path, 'This format is not supported: use {"type": "text"} or {"type": "json_schema"}.');
  const nested = Object(format.json_schema) as Fields;
  const read = outputSchema.safeParse(format.schema ?? nested.schema);
  if (read.success) return read.data;
  throw invalidAt([...path, "schema"], read.error.issues[0]?.message ?? "This is not a schema that can be used.");
}
