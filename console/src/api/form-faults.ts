/** Errors of rejected forms, by their fields. */
import { ApiError, toShownError } from "./errors.ts";

/** What is wrong with a form. */
export interface FormFaults<Field extends string> {
  readonly faults: Partial<Record<Field, string>>;
  /** What is about no field of the form. */
  readonly other: string | undefined;
}

/**
 * Finds the fields that an error of the server is about.
 * @param fields the fields of the form, by the members of the request's body
 */
export function formFaults<Field extends string>(
  error: unknown,
  fields: Readonly<Record<string, Field>>,
): FormFaults<Field> {
  if (!(error instanceof ApiError)) return { faults: {}, other: toShownError(error).message };
  const found: Partial<Record<Field, string>> = {};
  const others: string[] = [];
  for (const { path, message } of error.faults) {
    const field = fields[path[1] ?? ""];
    const text = message.replace(/^Value error, /, "");
    if (field) found[field] = text;
    else others.push(`${path.slice(1).join(".")}: ${text}`);
  }
  if (error.faults.length === 0) {
    // Some messages begin with the name of a member: "criteria is required …".
    const field = fields[/^\w+/.exec(error.message)?.[0] ?? ""];
    if (field) found[field] = error.message;
    else others.push(error.message);
  }
  return { faults: found, other: others.length > 0 ? others.join("; ") : undefined };
}

/** Returns an error that a form shows beside its fields. @throws every other error */
export function asFormError(error: unknown): ApiError {
  if (error instanceof ApiError && [400, 409, 422].includes(error.status)) return error;
  throw error;
}
