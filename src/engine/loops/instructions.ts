/** What a model is told before the conversation: who it is, what to do, and in which shape to answer. */
import type { RunContext } from "../../define/context.ts";
import type { Component } from "../../define/platform.ts";
import type { AnswerSchema } from "../model-call/answer-schema.ts";

/** The system message; empty when there is nothing to say. */
export async function systemText(
  component: Component,
  context: RunContext,
  guidance: string | undefined,
  schema: AnswerSchema | undefined,
): Promise<string> {
  const { description, role, instructions } = component;
  const told = typeof instructions === "function" ? await instructions(context) : instructions;
  const parts = [
    description,
    role && `<your_role>\n${role}\n</your_role>`,
    guidance,
    typeof told === "string" ? told : told?.map((line) => `- ${line}`).join("\n"),
    schema &&
      `Answer with JSON that matches this JSON Schema, and with nothing else:\n${JSON.stringify(schema.jsonSchema)}`,
  ];
  return parts.filter(Boolean).join("\n\n");
}
