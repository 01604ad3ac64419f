/** Ids that come from outside: stored raw, so held to what can be stored. */
import { z } from "zod";
import { faultOfId, maxIdLength } from "../model/text.ts";

/** An id in a path, a query or a form. */
export const identifier: z.ZodString = z
  .string()
  .max(maxIdLength)
  .superRefine((text, context) => {
    const fault = text.length > maxIdLength ? undefined : faultOfId(text);
    if (fault) context.addIssue({ code: "custom", message: fault });
  });
