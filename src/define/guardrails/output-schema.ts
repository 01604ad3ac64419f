import type { z } from "zod";
import { ConfigurationError } from "../../errors.ts";
import { type Guardrail, toGuardrail } from "./guardrail.ts";

/**
 * Refuses an answer that is not JSON of this schema. Unlike the option `output` of agents and teams, it neither requests JSON from the model nor asks a
 * second time: use it for answers whose form the instructions define. Turns with tool calls may contain any text.
 *
 * @example
 * ```ts
 * defineAgent({ id: "desk", model: "openai:gpt-5.2", guardrails: [outputSchema(z.object({ city: z.string() }))] });
 * ```
 * @throws ConfigurationError if the schema is not a zod schema
 */
export function outputSchema(schema: z.ZodType, given: { readonly message?: string } = {}): Guardrail {
  if (typeof (schema as Partial<z.ZodType>)?.safeParseAsync !== "function")
    throw new ConfigurationError(
      "Guardrail outputSchema: give it a zod schema, for instance z.object({ city: z.string() }).",
    );
  return toGuardrail({
    name: "outputSchema",
    on: ["output"],
    async check({ text, hasToolCalls }) {
      if (hasToolCalls) return undefined;
      const parsed = parsedJson(text);
      const matches = parsed !== undefined && (await schema.safeParseAsync(parsed.value)).success;
      return matches ? undefined : { refuse: given.message ?? "The answer does not have the required form." };
    },
  });
}

function parsedJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
