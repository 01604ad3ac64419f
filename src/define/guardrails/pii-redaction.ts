import { ConfigurationError } from "../../errors.ts";
import { checkAll, type Known, refuseUnknown, text } from "../checks.ts";
import { type Guardrail, type GuardrailPlace, places, toGuardrail } from "./guardrail.ts";
import { findPii, maskFindings, type PiiKind, piiKinds } from "./pii.ts";

/** Options of `piiRedaction`. */
export interface PiiRedactionOptions {
  /** Default: all. */
  readonly kinds?: readonly PiiKind[];
  /** Default: `["input", "output", "toolResults"]`. */
  readonly on?: readonly GuardrailPlace[];
  /** `mask` (default): a placeholder such as `[EMAIL]` replaces each finding. `refuse`: the run ends; what is stored has placeholders, too. */
  readonly action?: "mask" | "refuse";
  /** The message of a refusal. */
  readonly message?: string;
}

const options: Known<PiiRedactionOptions> = { kinds: true, on: true, action: true, message: true };

/**
 * Removes personal data: e-mail addresses, phone numbers, credit card numbers, IBANs, US social security numbers and IP addresses. Input is masked
 * before it is stored, and an answer before clients receive it. It finds data by its form: names and postal addresses stay.
 *
 * @example
 * ```ts
 * defineAgent({ id: "desk", model: "openai:gpt-5.2", guardrails: [piiRedaction({ kinds: ["email", "creditCard"] })] });
 * ```
 * @throws ConfigurationError for an unknown kind, place or action
 */
export function piiRedaction(given: PiiRedactionOptions = {}): Guardrail {
  const title = "Guardrail piiRedaction";
  refuseUnknown(title, given, options);
  checkAll(title, given, { on: places, message: text });
  const { kinds = piiKinds, on = ["input", "output", "toolResults"], action = "mask", message } = given;
  const unknown = kinds.find((kind) => !piiKinds.includes(kind));
  if (unknown !== undefined || kinds.length === 0)
    throw new ConfigurationError(`${title}: kinds must be a list of ${piiKinds.join(", ")}.`);
  if (action !== "mask" && action !== "refuse")
    throw new ConfigurationError(`${title}: action must be mask or refuse.`);
  return toGuardrail({
    name: "piiRedaction",
    on,
    redact: (value) => maskFindings(value, findPii(value, kinds)),
    redactsWindows: action === "mask",
    refusal: action === "refuse" ? (message ?? "The text contains personal data.") : undefined,
  });
}
