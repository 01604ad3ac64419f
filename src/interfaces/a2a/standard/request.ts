/** Request parsing that both bindings share. */
import { z } from "zod";
import { TroupeError } from "../../../errors.ts";
import { noFields, readFields } from "../../../http/input/body.ts";
import { type RawFields, type Reader, reader } from "../../../http/input/decode.ts";
import { idempotencyKey } from "../../../http/input/idempotency-key.ts";
import { identifier } from "../../../http/input/identifiers.ts";
import { type Cursor, parseCursor } from "../../../http/streams/frame-cursor.ts";
import type { Call } from "../../../http/transport/route.ts";
import type { Settings } from "../../../model/settings.ts";
import { A2aError } from "./errors.ts";

/** The Fastify request of a route. */
export type Request = Call<unknown, unknown, unknown>["request"];

/** Supported versions of the protocol. */
export type Version = "0.3" | "1.0";

/** The version that a request names in a header or its query; undefined if it names none. @throws A2aError */
export function versionOf({ headers, query }: Request): Version | undefined {
  const inQuery = Object.entries(Object(query) as object).find(([name]) => name.toLowerCase() === "a2a-version");
  const requested = String(headers["a2a-version"] ?? inQuery?.[1] ?? "").trim();
  if (requested === "") return undefined;
  // Patch numbers are ignored (1.0 section 3.6).
  const [, version] = /^(\d+\.\d+)(?:\.\d+)?$/.exec(requested) ?? [];
  if (version === "0.3" || version === "1.0") return version;
  const text = `A2A ${requested.slice(0, 20)} is not spoken here: there are 0.3 and 1.0`;
  throw new A2aError("versionNotSupported", text, { about: { supported: "0.3, 1.0" } });
}

/** Headers that belong to a message. */
interface Sender {
  /** The user id that a caller without a credential claims. */
  readonly user: string | undefined;
  /** The idempotency key of the message. */
  readonly key: string | undefined;
}

const senderHeaders: Reader<Sender> = reader(
  z.object({ "x-user-id": identifier.nullish(), "idempotency-key": idempotencyKey }),
  ({ "x-user-id": user, "idempotency-key": key }) => ({ user: user ?? undefined, key: key || undefined }),
);

/** @throws TroupeError `validation` */
export function senderIn({ headers }: Pick<Request, "headers">): Sender {
  return senderHeaders.read(headers, "header");
}

/** The position after which a stream resumes. @throws A2aError */
export function cursorOf({ headers }: Request): Cursor | undefined {
  const text = headers["last-event-id"];
  if (text === undefined || text === "") return undefined;
  const cursor = parseCursor(String(text));
  if (cursor) return cursor;
  throw new A2aError("invalidParams", "Last-Event-ID is not the id of a frame", { about: { field: "Last-Event-ID" } });
}

const bodyFaults: Readonly<Record<string, ConstructorParameters<typeof A2aError>[0]>> = {
  json_invalid: "jsonParse",
  content_type: "contentTypeNotSupported",
  model_attributes_type: "invalidRequest",
};

/** Parses the JSON object in the body; an empty body yields no fields, unless one is required. @throws A2aError, TroupeError */
export async function readJson(
  { raw, headers }: Request,
  settings: Settings,
  { required = false }: { readonly required?: boolean } = {},
): Promise<RawFields> {
  // 1.0 also has its own media type.
  const isOwn = /^application\/a2a\+json\b/i.test(headers["content-type"] ?? "");
  if (isOwn) raw.headers["content-type"] = "application/json";
  try {
    const fields = await readFields(raw, ["json"], settings);
    if (required && fields === noFields) throw new A2aError("jsonParse", "The body is empty");
    return fields;
  } catch (error) {
    const fault = error instanceof TroupeError ? bodyFaults[error.faults?.[0]?.type ?? ""] : undefined;
    if (fault === undefined) throw error;
    throw new A2aError(fault, (error as TroupeError).faults?.[0]?.msg ?? "The body cannot be read");
  }
}
