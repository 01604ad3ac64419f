/** The system message: the component's identity, its task, and the required shape of its answer. */
import type { RunContext } from "../../define/context.ts";
import type { Component } from "../../define/platform.ts";
import type { AnswerSchema } from "../model-call/answer-schema.ts";

/**
 * Returns the system message; empty when the component defines none of its parts.
 * @param facts stored data that the run knows, at the end: what comes before stays the same from run to run
 */
export async function systemText(
  component: Component,
  context: RunContext,
  guidance: string | undefined,
  schema: AnswerSchema | undefined,
  facts?: string,
): Promise<string> {
  const { description, role, instructions } = component;
  const text = typeof instructions === "function" ? await instructions(context) : instructions;
  const parts = [
    description,
    role && `<your_role>\n${role}\n</your_role>`,
    guidance,
    typeof text === "string" ? text : text?.map((line) => `- ${line}`).join("\n"),
    schema &&
      `Answer with JSON that matches this JSON Schema, and with nothing else:\n${JSON.stringify(schema.jsonSchema)}`,
    facts,
  ];
  return parts.filter(Boolean).join("\n\n");
}
