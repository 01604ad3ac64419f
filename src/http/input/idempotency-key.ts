/** The header `Idempotency-Key` of requests that may be repeated. */
import { z } from "zod";

export const idempotencyKey: z.ZodType<string | null | undefined> = z
  .string()
  .max(255)
  .regex(/^[\x21-\x7e]*$/)
  .nullish();
