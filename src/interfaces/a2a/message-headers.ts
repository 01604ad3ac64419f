/** Headers of messages to the platform's own A2A endpoints. */
import { z } from "zod";
import { type Reader, reader } from "../../http/input/decode.ts";
import { idempotencyKey } from "../../http/input/idempotency-key.ts";
import { identifier } from "../../http/input/identifiers.ts";
import { type Cursor, parseCursor } from "../../http/streams/frame-cursor.ts";

/** The user, the protocol version of the answer, the position at which a stream resumes, and the idempotency key. */
export interface MessageHeaders {
  readonly userId: string | undefined;
  readonly version: "0.3" | "1.0" | undefined;
  readonly after: Cursor | undefined;
  readonly idempotencyKey: string | undefined;
}

const version = z
  .string()
  .regex(/^\s*(0\.3|1\.0)(\.\d+)?\s*$/)
  .nullish();

const headers = z.object({
  authorization: z.string().nullish(),
  "x-user-id": identifier.nullish(),
  "a2a-version": version,
  "last-event-id": z
    .string()
    .refine((text) => parseCursor(text) !== undefined, "must be the id of a frame")
    .nullish(),
  "idempotency-key": idempotencyKey,
});

export const messageHeaders: Reader<MessageHeaders> = reader(headers, (fields) => {
  const after = fields["last-event-id"];
  const requested = fields["a2a-version"]?.trim();
  return {
    userId: fields["x-user-id"] ?? undefined,
    version: requested === undefined ? undefined : requested.startsWith("0.3") ? "0.3" : "1.0",
    after: after ? parseCursor(after) : undefined,
    idempotencyKey: fields["idempotency-key"] ?? undefined,
  };
});

/** The schema of these headers for the OpenAPI document. */
export const messageHeadersSchema: z.ZodObject = headers;
