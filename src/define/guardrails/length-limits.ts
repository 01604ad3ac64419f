import { ConfigurationError } from "../../errors.ts";
import { checkAll, type Known, positive, refuseUnknown, text } from "../checks.ts";
import { type Guardrail, type GuardrailPlace, toGuardrail } from "./guardrail.ts";

/** Options of `lengthLimits`: the maximum number of characters (UTF-16 code units) of one text. */
export interface LengthLimitOptions {
  readonly input?: number;
  readonly output?: number;
  readonly toolResults?: number;
  /** The message of a refusal. */
  readonly message?: string;
}

const options: Known<LengthLimitOptions> = { input: true, output: true, toolResults: true, message: true };

/**
 * Refuses texts that are too long. With a limit for `output`, clients receive each answer of the model when it is complete.
 *
 * @example
 * ```ts
 * defineAgent({ id: "desk", model: "openai:gpt-5.2", guardrails: [lengthLimits({ input: 10_000 })] });
 * ```
 * @throws ConfigurationError without a limit, or with one that is not a number above 0
 */
export function lengthLimits(given: LengthLimitOptions): Guardrail {
  const title = "Guardrail lengthLimits";
  refuseUnknown(title, given, options);
  checkAll(title, given, { input: positive, output: positive, toolResults: positive, message: text });
  const on = (["input", "output", "toolResults"] as const).filter((place) => given[place] !== undefined);
  if (on.length === 0) throw new ConfigurationError(`${title}: give it a limit, for instance { input: 10_000 }.`);
  const names: Readonly<Record<GuardrailPlace, string>> = {
    ...{ input: "The input", output: "The answer", toolResults: "The result of a tool" },
  };
  return toGuardrail({
    name: "lengthLimits",
    on,
    check({ text: value, place }) {
      const limit = given[place];
      if (limit === undefined || value.length <= limit) return undefined;
      return { refuse: given.message ?? `${names[place]} is longer than ${limit} characters.` };
    },
  });
}
