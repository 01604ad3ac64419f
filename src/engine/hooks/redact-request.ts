/** Redaction of a start request before any part of it is stored. */
import { redactInput, redactorOf, redactValue } from "../../define/guardrails/redact.ts";
import type { Hosted } from "../../define/platform.ts";
import type { RunInput, RunOptions } from "../../model/run/record.ts";
import type { StartRequest } from "../contract.ts";

/** Returns the request as the component's guardrails for input allow it to be stored: its message, its conversation, and the texts of an A2A message. */
export function redactRequest(component: Hosted, request: StartRequest): StartRequest {
  const redact = redactorOf(component, "input");
  if (!redact) return request;
  const { conversation, from, options } = request;
  const { message, redactedBy } = redactInput<RunInput>(component, { message: request.message });
  const added = from?.input === undefined ? undefined : redactInput<RunInput>(component, { message: from.input });
  const by = added ? added.redactedBy : redactedBy;
  return {
    ...request,
    message,
    options: redactOptions(options, redact),
    ...(conversation && { conversation: conversation.map((one) => ({ ...one, content: redact(one.content) })) }),
    ...(from && { from: { ...from, input: added?.message } }),
    ...(by && { redactedBy: by }),
  };
}

function redactOptions(options: RunOptions, redact: (text: string) => string): RunOptions {
  const { a2a, additionalInstructions } = options;
  return {
    ...options,
    ...(additionalInstructions !== undefined && { additionalInstructions: redact(additionalInstructions) }),
    ...(a2a?.parts && { a2a: { ...a2a, parts: redactValue(a2a.parts, redact) } }),
  };
}
