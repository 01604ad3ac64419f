/** Guardrails: checks of what goes into a run and of what comes out of it. See docs/guardrails.md. */
import type { z } from "zod";
import { ConfigurationError } from "../../errors.ts";
import { type Check, checkAll, type Known, refuseUnknown, text } from "../checks.ts";
import type { ApprovalRequest, HookContext, Refusal } from "../hooks.ts";
import type { Model } from "../model.ts";

/**
 * Text that a guardrail reads. `input`: the message of the caller, messages to the live run, and for a member of a team its task. `output`: the text of
 * the model's answers. `toolResults`: the results of tools and of members.
 */
export type GuardrailPlace = "input" | "output" | "toolResults";

/** A text to check. */
export interface GuardedText {
  readonly text: string;
  readonly place: GuardrailPlace;
  /** The model's reasoning before the text, for `output`. */
  readonly reasoning?: string | undefined;
  /** Whether the turn also calls tools, for `output`. */
  readonly hasToolCalls?: boolean | undefined;
  /** Name of the tool, for `toolResults`. */
  readonly tool?: string | undefined;
}

/** A request to a model. Its usage counts toward the run. */
export interface GuardrailRequest<Schema extends z.ZodType> {
  readonly system: string;
  readonly message: string;
  /** Schema of the answer: a zod object. */
  readonly schema: Schema;
}

/** The context of a guardrail's check. */
export interface GuardrailContext<
  State extends object = Record<string, unknown>,
  Dependencies extends object = Readonly<Record<string, unknown>>,
> extends HookContext<State, Dependencies> {
  /** Requests a value from the guardrail's `model`, or from the component's model. @throws if the model fails */
  generate<Schema extends z.ZodType>(request: GuardrailRequest<Schema>): Promise<z.output<Schema>>;
}

/** The decision of a check; undefined if the text passes. `text` replaces it. Only a check of `input` may ask for an approval. */
export type GuardrailVerdict = Refusal | ApprovalRequest | { readonly text: string };

/** Options of a guardrail. It needs `redact`, `check`, or both. */
export interface GuardrailOptions<
  State extends object = Record<string, unknown>,
  Dependencies extends object = Readonly<Record<string, unknown>>,
> {
  /** Name in events, errors and the log. */
  readonly name: string;
  /** Default: `["input"]`. */
  readonly on?: readonly GuardrailPlace[];
  /**
   * Returns the text without what must not be stored. It runs before the text is stored: for `input` when the request is accepted. It must be fast,
   * and return the same for the same text. Applied to its own result, it must return the same.
   */
  readonly redact?: (text: string) => string;
  /** Decides about a text. */
  readonly check?: (
    given: GuardedText,
    context: GuardrailContext<State, Dependencies>,
    // biome-ignore lint/suspicious/noConfusingVoidType: a check without a return statement returns void.
  ) => GuardrailVerdict | void | undefined | Promise<GuardrailVerdict | void | undefined>;
  /** The model of `generate`. Default: the component's model. */
  readonly model?: Model;
}

/** A guardrail of agents and teams. */
export interface Guardrail {
  readonly kind: "guardrail";
  readonly name: string;
  readonly on: readonly GuardrailPlace[];
  readonly redact: ((text: string) => string) | undefined;
  /** Whether a text can be cut at line breaks and ends of sentences, and its parts redacted one by one. */
  readonly redactsWindows: boolean;
  /** The message of the refusal of a text that `redact` changes; undefined if the run goes on with the changed text. */
  readonly refusal: string | undefined;
  readonly check: GuardrailOptions["check"];
  readonly model: Model | undefined;
}

const options: Known<GuardrailOptions> = {
  ...{ name: true, on: true, redact: true, check: true, model: true },
};

/**
 * Defines a guardrail.
 *
 * @example
 * ```ts
 * const noSecrets = defineGuardrail({
 *   name: "noSecrets",
 *   on: ["input", "output"],
 *   redact: (text) => text.replaceAll(/ACME-\d{4}/g, "[CODE]"),
 *   check: ({ text }) => (text.includes("BEGIN PRIVATE KEY") ? { refuse: "Please send no keys." } : undefined),
 * });
 * ```
 * @throws ConfigurationError naming the guardrail and the fix
 */
export function defineGuardrail<
  State extends object = Record<string, unknown>,
  Dependencies extends object = Readonly<Record<string, unknown>>,
>(given: GuardrailOptions<State, Dependencies>): Guardrail {
  const title = `Guardrail "${given.name}"`;
  refuseUnknown(title, given, options);
  checkAll(title, given, { name: text, on: places, redact: isFunction, check: isFunction });
  const { name, on = ["input"], redact, check, model } = given;
  if (!redact && !check) throw new ConfigurationError(`${title}: give it redact or check.`);
  return toGuardrail({ name, on, redact, check: check as GuardrailOptions["check"], model });
}

/** Completes a guardrail. */
export function toGuardrail(given: Pick<Guardrail, "name" | "on"> & Partial<Guardrail>): Guardrail {
  return Object.freeze({
    ...{ redact: undefined, redactsWindows: false, refusal: undefined, check: undefined, model: undefined },
    ...given,
    kind: "guardrail",
  });
}

const allPlaces: readonly string[] = ["input", "output", "toolResults"] satisfies GuardrailPlace[];

/** Checks a list of places. */
export const places: Check = (value) =>
  Array.isArray(value) && value.length > 0 && value.every((one) => allPlaces.includes(one))
    ? undefined
    : `must be a list of ${allPlaces.join(", ")}`;

const isFunction: Check = (value) => (typeof value === "function" ? undefined : "must be a function");

/** What a built-in guardrail does with a text that does not pass. */
export type GuardrailAction = "refuse" | "askApproval";

/** Options that several built-in guardrails share. */
export interface ActionOptions {
  /** Default `refuse`. `askApproval` pauses the run until a caller with the scope `approvals:write` decides; only for `input`. */
  readonly action?: GuardrailAction;
  /** The message of the refusal or of the request. */
  readonly message?: string;
}

export const actionOptions: Known<ActionOptions> = { action: true, message: true };

/** Checks of `ActionOptions`. */
export const actionChecks: Readonly<Record<string, Check>> = {
  message: text,
  action: (value) => (value === "refuse" || value === "askApproval" ? undefined : "must be refuse or askApproval"),
};

/** Rejects a request for an approval about texts that are not input. */
export function refuseLateQuestions(title: string, on: readonly GuardrailPlace[], action: unknown): void {
  if (action === "askApproval" && on.some((place) => place !== "input"))
    throw new ConfigurationError(`${title}: only a guardrail on ["input"] can have the action askApproval.`);
}

/** The verdict of a built-in guardrail about a text that does not pass. */
export function verdictOf({ action = "refuse", message }: ActionOptions, standard: string): GuardrailVerdict {
  return action === "refuse" ? { refuse: message ?? standard } : { askApproval: message ?? standard };
}
