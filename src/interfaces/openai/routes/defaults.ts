/** Members of all operations of this interface. */
import { z } from "zod";
import { named } from "../../../http/input/named-schemas.ts";
import type { Operation, ResponseSpec } from "../../../http/transport/route.ts";

const error = named(
  "OpenAiError",
  z.object({
    error: z.object({
      message: z.string(),
      type: z.string(),
      param: z.string().nullable(),
      code: z.string().nullable(),
    }),
  }),
);

export const routeDefaults: Pick<Operation, "tag" | "security" | "errors"> = {
  tag: "OpenAI",
  security: "bearer",
  errors: [],
};

/** Descriptions of errors in the form of this protocol. */
export function errorAnswers(...statuses: readonly number[]): Readonly<Record<number, ResponseSpec>> {
  return Object.fromEntries(statuses.map((status) => [status, { description: "Error", json: error }]));
}
