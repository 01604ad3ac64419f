import { z } from "zod";
import { ConfigurationError } from "../../errors.ts";
import { checkAll, type Known, refuseUnknown } from "../checks.ts";
import type { Model } from "../model.ts";
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
import { asData, texts } from "./moderation.ts";

/** Options of `topics`: `allow`, `deny`, or both. */
export interface TopicOptions extends ActionOptions {
  /** The only topics that pass. Greetings and thanks pass, too. */
  readonly allow?: readonly string[];
  /** Topics that do not pass. */
  readonly deny?: readonly string[];
  /** The model that decides. Default: the component's model. */
  readonly model?: Model;
  /** Default: `["input"]`. */
  readonly on?: readonly GuardrailPlace[];
}

const options: Known<TopicOptions> = { ...actionOptions, allow: true, deny: true, model: true, on: true };

const Answer = z.object({ passes: z.boolean() });

/**
 * Refuses texts about other topics, by the judgment of a model. Each check is a model request of the run.
 *
 * @example
 * ```ts
 * defineAgent({ id: "travel", model: "openai:gpt-5.2", guardrails: [topics({ allow: ["travel", "weather"], message: "I only know about travel." })] });
 * ```
 * @throws ConfigurationError for an invalid option, or without topics
 */
export function topics(given: TopicOptions): Guardrail {
  const title = "Guardrail topics";
  refuseUnknown(title, given, options);
  checkAll(title, given, { ...actionChecks, on: places, allow: texts, deny: texts });
  const { allow, deny, on = ["input"], model } = given;
  if (!allow && !deny) throw new ConfigurationError(`${title}: give it topics, for instance { allow: ["travel"] }.`);
  refuseLateQuestions(title, on, given.action);
  const rules = [
    allow && `It passes only if it is about: ${allow.join("; ")}. Greetings and thanks pass.`,
    deny && `It does not pass if it is about: ${deny.join("; ")}.`,
  ];
  const system = `You decide whether a text passes. ${rules.filter(Boolean).join(" ")} ${asData}`;
  return toGuardrail({
    name: "topics",
    on,
    model,
    async check({ text }, { generate }) {
      const { passes } = await generate({ system, message: JSON.stringify(text), schema: Answer });
      return passes ? undefined : verdictOf(given, "This topic is not supported.");
    },
  });
}
