/** Answered calls as records show them: with their answers, and without open requirements. */
import type { ToolExecution, ToolRequirement } from "../../model/run/record.ts";
import type { CallAnswer } from "./waiting-calls.ts";

type Field = Readonly<Record<string, unknown>> & { readonly name: string };

/** A call's requirement with its answer. @param isNamed whether the answer contained the requirement's id instead of the call's id */
export function answeredRequirement(
  requirement: ToolRequirement,
  answer: CallAnswer,
  isNamed: boolean,
): ToolRequirement {
  const { tool_execution, user_input_schema } = requirement;
  const { confirmed, note, values, result } = answer;
  return {
    ...requirement,
    tool_execution: answeredExecution(tool_execution, answer),
    ...(user_input_schema && { user_input_schema: filled(user_input_schema, values) }),
    ...(isNamed && {
      ...(confirmed !== undefined && { confirmation: confirmed }),
      ...(note !== undefined && { confirmation_note: note }),
      ...(result !== undefined && { external_execution_result: result }),
    }),
  };
}

function answeredExecution(asked: ToolExecution, { confirmed, note, values, result }: CallAnswer): ToolExecution {
  return {
    ...asked,
    ...(confirmed !== undefined && { confirmed, confirmation_note: note ?? null }),
    ...(values && { tool_args: { ...Object(asked.tool_args), ...values }, answered: true }),
    ...(asked.user_input_schema && { user_input_schema: filled(asked.user_input_schema, values) }),
    ...(result !== undefined && { result }),
    ...noDemands(asked),
  };
}

function filled(fields: readonly unknown[], values: CallAnswer["values"] = {}): Field[] {
  return (fields as readonly Field[]).map((field) => ({ ...field, value: values[field.name] ?? field.value }));
}

/** Requirements that are no longer open are false; requirements that never existed stay null. */
function noDemands(asked: ToolExecution): Partial<ToolExecution> {
  return {
    requires_confirmation: asked.requires_confirmation && false,
    requires_user_input: asked.requires_user_input && false,
    external_execution_required: asked.external_execution_required && false,
  };
}

/** A finished call. @param answered the call with its answer, if known */
export function finishedExecution(over: ToolExecution, answered: ToolExecution = over): ToolExecution {
  const { confirmed, confirmation_note, user_input_schema, approval_type, approval_id } = answered;
  return {
    ...over,
    ...noDemands(answered),
    ...{ confirmed, confirmation_note, user_input_schema, answered: answered.answered, approval_type, approval_id },
  };
}
