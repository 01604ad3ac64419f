import { checkAll, type Known, refuseUnknown } from "../checks.ts";
import {
  type ActionOptions,
  actionChecks,
  actionOptions,
  type Guardrail,
  type GuardrailPlace,
  places,
  refuseLateQuestions,
  toGuardrail,
  verdictOf,
} from "./guardrail.ts";
import { hasInjection } from "./injection.ts";
import { texts } from "./moderation.ts";

/** Options of `promptInjection`. */
export interface PromptInjectionOptions extends ActionOptions {
  /** Default: `["input", "toolResults"]`; with the action `askApproval`: `["input"]`. */
  readonly on?: readonly GuardrailPlace[];
  /** Further phrases, in any case. */
  readonly phrases?: readonly string[];
}

const options: Known<PromptInjectionOptions> = { ...actionOptions, on: true, phrases: true };

/**
 * Refuses texts with known phrases of prompt injections, in English: "ignore all previous instructions", "reveal your system prompt", markers of chat
 * templates. It stops copied attacks, not determined attackers: give tools only the rights that a stranger may use, and approvals.
 *
 * @example
 * ```ts
 * defineAgent({ id: "desk", model: "openai:gpt-5.2", guardrails: [promptInjection()] });
 * ```
 * @throws ConfigurationError for an invalid option
 */
export function promptInjection(given: PromptInjectionOptions = {}): Guardrail {
  const title = "Guardrail promptInjection";
  refuseUnknown(title, given, options);
  checkAll(title, given, { ...actionChecks, on: places, phrases: texts });
  const { on = given.action === "askApproval" ? ["input"] : ["input", "toolResults"] } = given;
  refuseLateQuestions(title, on, given.action);
  const further = (given.phrases ?? []).map((phrase) => phrase.toLowerCase());
  return toGuardrail({
    name: "promptInjection",
    on,
    check({ text }) {
      const lower = further.length > 0 ? text.toLowerCase() : "";
      if (!hasInjection(text) && !further.some((phrase) => lower.includes(phrase))) return undefined;
      return verdictOf(given, "The text looks like an attempt to change the instructions of the model.");
    },
  });
}
