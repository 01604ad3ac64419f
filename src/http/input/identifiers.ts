/** Ids sent by clients: they are stored unchanged, so they must be storable. */
import { z } from "zod";
import { faultOfId, maxIdLength } from "../../model/identifiers.ts";

/** An id in a path, a query or a form. */
export const identifier: z.ZodString = idText(false);

/** An id, or an empty text for none. */
export const identifierOrEmpty: z.ZodString = idText(true);

function idText(mayBeEmpty: boolean): z.ZodString {
  return z
    .string()
    .max(maxIdLength)
    .superRefine((text, context) => {
      const fault = text.length > maxIdLength || (mayBeEmpty && text === "") ? undefined : faultOfId(text);
      if (fault) context.addIssue({ code: "custom", message: fault });
    });
}
