/** The header of requests that may be repeated. */
import { z } from "zod";
import type { Idempotency } from "../../runs/creations.ts";
import { type Reader, reader } from "../input/decode.ts";
import { idempotencyKey } from "../input/idempotency-key.ts";
import { fingerprintOf } from "../transport/fingerprint.ts";

/** The key of a request that may be repeated. */
export const idempotencyHeader: Reader<string | undefined> = reader(
  z.object({
    "idempotency-key": idempotencyKey,
  }),
  (fields) => fields["idempotency-key"] || undefined,
);

/** The key of a request with a hash of its content; undefined without a key. */
export function idempotencyOf(headers: Readonly<Record<string, unknown>>, content: unknown): Idempotency | undefined {
  const key = idempotencyHeader.read(headers, "header");
  return key === undefined ? undefined : { key, fingerprint: fingerprintOf(content) };
}
