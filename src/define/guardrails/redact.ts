/** Redaction of texts before they are stored. */
import type { Media } from "../../model/run/message.ts";
import type { Guardrail, GuardrailPlace } from "./guardrail.ts";

/** A component that may have guardrails. */
interface Guarded {
  readonly kind?: string;
  readonly guardrails?: readonly Guardrail[];
}

/** Input of a run, with the guardrails that changed it. */
interface RedactedInput {
  readonly message: string;
  readonly media?: readonly Media[];
  /** Names of the guardrails that removed text. */
  readonly redactedBy?: readonly string[];
}

/** Returns the functions that redact the texts of a place; undefined if there are none. */
export function redactorOf(
  { guardrails = [] }: Guarded,
  place: GuardrailPlace,
): ((text: string) => string) | undefined {
  const all = guardrails.flatMap(({ on, redact }) => (redact && on.includes(place) ? [redact] : []));
  return all.length > 0 ? (text) => all.reduce((now, redact) => redact(now), text) : undefined;
}

/** Redacts the input of a run. */
export function redactInput<Input extends RedactedInput>(component: Guarded, input: Input): Input {
  const redactedBy = new Set(input.redactedBy);
  let { message } = input;
  for (const { name, on, redact } of component.guardrails ?? []) {
    if (!redact || !on.includes("input")) continue;
    const changed = redact(message);
    if (changed !== message) redactedBy.add(name);
    message = changed;
  }
  return redactedBy.size > 0 ? { ...input, message, redactedBy: [...redactedBy] } : input;
}

/** Redacts all texts in a JSON value, and numbers by their digits. */
export function redactValue<Value>(value: Value, redact: (text: string) => string): Value {
  if (typeof value === "string") return redact(value) as Value;
  if (typeof value === "number") {
    const text = String(value);
    const changed = redact(text);
    return changed === text ? value : (changed as Value);
  }
  if (Array.isArray(value)) return value.map((one) => redactValue(one, redact)) as Value;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [redact(key), redactValue(one, redact)]),
  ) as Value;
}
