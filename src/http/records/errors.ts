/** Error schemas under the names of the OpenAPI document. */
import { z } from "zod";
import { named } from "../input/named-schemas.ts";

function withCode(name: string): z.ZodType {
  return named(name, z.object({ detail: z.string(), error_code: z.string().nullish() }));
}

const item = named(
  "ValidationError",
  z.object({
    loc: z.array(z.union([z.string(), z.int()])),
    msg: z.string(),
    type: z.string(),
    input: z.unknown().optional(),
    ctx: z.record(z.string(), z.unknown()).optional(),
  }),
);

/** The list form of a 422. */
export const faultList: z.ZodType = named("HTTPValidationError", z.object({ detail: z.array(item).optional() }));

/** Description and schema of each error that routes declare; the schema of 422 is its text form. */
export const errorResponses: Readonly<Record<number, { readonly description: string; readonly schema: z.ZodType }>> = {
  400: { description: "Bad Request", schema: withCode("BadRequestResponse") },
  401: { description: "Unauthenticated", schema: withCode("UnauthenticatedResponse") },
  403: { description: "Forbidden", schema: named("ForbiddenResponse", z.object({ detail: z.string() })) },
  404: { description: "Not Found", schema: withCode("NotFoundResponse") },
  409: { description: "Conflict", schema: withCode("ConflictResponse") },
  413: { description: "Payload Too Large", schema: withCode("PayloadTooLargeResponse") },
  415: { description: "Unsupported Media Type", schema: withCode("UnsupportedMediaTypeResponse") },
  422: { description: "Validation Error", schema: withCode("ValidationErrorResponse") },
  429: { description: "Too Many Requests", schema: withCode("TooManyRequestsResponse") },
  500: { description: "Internal Server Error", schema: withCode("InternalServerErrorResponse") },
  502: { description: "Bad Gateway", schema: withCode("BadGatewayResponse") },
  503: { description: "Service Unavailable", schema: withCode("ServiceUnavailableResponse") },
};
