/** What the bindings share in reading a request. */
import { z } from "zod";
import { TroupeError } from "../../../errors.ts";
import { noFields, readFields } from "../../../http/input/body.ts";
import { type RawFields, type Reader, reader } from "../../../http/input/decode.ts";
import { identifier } from "../../../http/input/identifiers.ts";
import type { Call } from "../../../http/transport/route.ts";
import type { Settings } from "../../../model/settings.ts";
import { idempotencyKey } from "../message-headers.ts";
import { type Cursor, parseCursor } from "../stream/cursor.ts";
import { A2aFault } from "./faults.ts";

/** A request as routes are given it. */
export type Request = Call<unknown, unknown, unknown>["request"];

/** Versions of the protocol that are spoken here. */
export type Version = "0.3" | "1.0";

/** The version that a request names, in a header or in its query; undefined where it names none. @throws A2aFault */
export function versionOf({ headers, query }: Request): Version | undefined {
  const inQuery = Object.entries(Object(query) as object).find(([name]) => name.toLowerCase() === "a2a-version");
  const asked = String(headers["a2a-version"] ?? inQuery?.[1] ?? "").trim();
  if (asked === "") return undefined;
  // Patch numbers do not count (1.0 section 3.6).
  const [, version] = /^(\d+\.\d+)(?:\.\d+)?$/.exec(asked) ?? [];
  if (version === "0.3" || version === "1.0") return version;
  const text = `A2A ${asked.slice(0, 20)} is not spoken here: there are 0.3 and 1.0`;
  throw new A2aFault("versionNotSupported", text, { about: { supported: "0.3, 1.0" } });
}

/** What headers say of a message beside the message. */
interface Sender {
  /** Who a caller without a credential says that it is. */
  readonly user: string | undefined;
  /** The name under which the message is one, however often it is sent. */
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

/** Where a stream goes on. @throws A2aFault */
export function cursorOf({ headers }: Request): Cursor | undefined {
  const text = headers["last-event-id"];
  if (text === undefined || text === "") return undefined;
  const cursor = parseCursor(String(text));
  if (cursor) return cursor;
  throw new A2aFault("invalidParams", "Last-Event-ID is not the id of a frame", { about: { field: "Last-Event-ID" } });
}

const bodyFaults: Readonly<Record<string, ConstructorParameters<typeof A2aFault>[0]>> = {
  json_invalid: "jsonParse",
  content_type: "contentTypeNotSupported",
  model_attributes_type: "invalidRequest",
};

/** The JSON object that is the body; empty for a body of no bytes, unless one is required. @throws A2aFault, TroupeError */
export async function readJson(
  { raw, headers }: Request,
  settings: Settings,
  { required = false }: { readonly required?: boolean } = {},
): Promise<RawFields> {
  // 1.0 has a media type of its own beside the usual one.
  const isOwn = /^application\/a2a\+json\b/i.test(headers["content-type"] ?? "");
  if (isOwn) raw.headers["content-type"] = "application/json";
  try {
    const fields = await readFields(raw, ["json"], settings);
    if (required && fields === noFields) throw new A2aFault("jsonParse", "The body is empty");
    return fields;
  } catch (error) {
    const fault = error instanceof TroupeError ? bodyFaults[error.faults?.[0]?.type ?? ""] : undefined;
    if (fault === undefined) throw error;
    throw new A2aFault(fault, (error as TroupeError).faults?.[0]?.msg ?? "The body cannot be read");
  }
}
