/** Calls that have waited, as records show them: with what was answered, and waiting for nothing any more. */
import type { ToolExecution, ToolRequirement } from "../../model/record.ts";
import type { CallAnswer } from "./waiting-calls.ts";

type Field = Readonly<Record<string, unknown>> & { readonly name: string };

/** What a call waited for, with what was answered. @param isNamed whether the answer named the requirement, and not its call */
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

/** What is asked of nobody any more is false, what never was stays null. */
function noDemands(asked: ToolExecution): Partial<ToolExecution> {
  return {
    requires_confirmation: asked.requires_confirmation && false,
    requires_user_input: asked.requires_user_input && false,
    external_execution_required: asked.external_execution_required && false,
  };
}

/** A call that is over. @param answered as it was answered, where that is known */
export function settledExecution(over: ToolExecution, answered: ToolExecution = over): ToolExecution {
  const { confirmed, confirmation_note, user_input_schema, approval_type, approval_id } = answered;
  return {
    ...over,
    ...noDemands(answered),
    ...{ confirmed, confirmation_note, user_input_schema, answered: answered.answered, approval_type, approval_id },
  };
}
