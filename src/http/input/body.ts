/** Reads the body of a request: forms, and JSON objects where a route accepts them. */
import type { IncomingMessage } from "node:http";
import { TroupeError } from "../../errors.ts";
import { BadJson, notJson, parseJson } from "../../model/json-text.ts";
import type { Settings } from "../../model/settings.ts";
import { tooLarge } from "../../runs/limits/sizes.ts";
import { isBodyRead } from "../transport/mounted.ts";
import type { RawFields, Reader } from "./decode.ts";
import { Gathered } from "./gathered.ts";
import { readMultipart } from "./multipart.ts";
import { brokenOff, unreadable } from "./refusals.ts";
import { invalid } from "./validation-errors.ts";

export const mediaTypes = {
  urlencoded: "application/x-www-form-urlencoded",
  multipart: "multipart/form-data",
  json: "application/json",
} as const;

export type BodyType = keyof typeof mediaTypes;

/** The body that a route accepts. */
export interface BodySpec<Value> {
  /** Name of the schema in the OpenAPI document. */
  readonly name: string;
  readonly reader: Reader<Value>;
  /** In the order in which the OpenAPI document lists them. */
  readonly types: readonly BodyType[];
  readonly required: boolean;
}

/** The fields of an empty body. */
export const noFields: RawFields = Object.freeze({});

/**
 * The fields of the body. An empty body has no fields, whatever its content type; if a field is repeated, its last value applies.
 *
 * @throws TroupeError `validation` for another type or a malformed body, `tooLarge`, `unsupportedMediaType` for a body with a content coding
 */
export async function readFields(
  message: IncomingMessage,
  types: readonly BodyType[],
  settings: Settings,
): Promise<RawFields> {
  if (hasNoBody(message)) return noFields;
  if (isBodyRead(message))
    throw new TroupeError(
      "badRequest",
      "The application has read the body: mount the platform before its body parsers.",
    );
  refuseCoded(message);
  const named = (message.headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
  switch (types.find((accepted) => mediaTypes[accepted] === named)) {
    case "multipart":
      return await readMultipart(message, settings);
    case "urlencoded":
      return fromUrlencoded(await readBytes(message, settings.maxBodyBytes), settings.maxFields);
    case "json":
      return fromJson(await readBytes(message, settings.maxBodyBytes));
    default: {
      if (!(await hasBytes(message))) return noFields;
      const accepted = types.map((type) => mediaTypes[type]).join(" or ");
      throw unreadable("content_type", `Content type "${named.slice(0, 100)}" is not read here, send ${accepted}`);
    }
  }
}

/** Whether the headers of a request declare that it has no body. */
export function hasNoBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] === undefined && Number(headers["content-length"] ?? 0) === 0;
}

/** RFC 9110 section 8.4: without this check, an encoded body would be parsed as if it were plain. */
function refuseCoded(message: IncomingMessage): void {
  const coding = message.headers["content-encoding"] ?? "";
  if (/^[\s,]*(identity[\s,]*)*$/i.test(coding)) return;
  message.resume();
  throw new TroupeError(
    "unsupportedMediaType",
    `Content-Encoding "${coding.slice(0, 100)}" is not read here, send the body without it`,
  );
}

async function hasBytes(message: IncomingMessage): Promise<boolean> {
  try {
    await readBytes(message, 0);
    return false;
  } catch (error) {
    if (error instanceof TroupeError && error.code === "tooLarge") return true;
    throw error;
  }
}

/** All bytes of the body. Beyond the limit, the rest is read and discarded, so that the client receives the answer. */
export function readBytes(message: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const gathered = new Gathered();
    const refuse = (error: TroupeError): void => {
      message.off("data", onData);
      message.resume();
      reject(error);
    };
    const onData = (chunk: Buffer): void => {
      gathered.add(chunk);
      if (gathered.length > limit) refuse(tooLarge("The body", limit));
    };
    message.once("error", () => refuse(brokenOff()));
    // `close` is also emitted after a complete body.
    message.once("close", () => message.complete || refuse(brokenOff()));
    if (Number(message.headers["content-length"]) > limit) return refuse(tooLarge("The body", limit));
    message.on("data", onData);
    message.once("end", () => resolve(gathered.take()));
  });
}

const [ampersand, plus, space] = [..."&+ "].map((character) => character.charCodeAt(0)) as [number, number, number];

/**
 * Counts the fields before parsing them: `URLSearchParams` takes a minute for millions of fields, and almost half a second for millions of spaces
 * written as `+`.
 */
function fromUrlencoded(bytes: Buffer, maxFields: number): RawFields {
  const fields: Record<string, unknown> = Object.create(null);
  const texts: string[] = [];
  let start = 0;
  for (let at = 0; at <= bytes.length; at++) {
    if (bytes[at] === plus) bytes[at] = space;
    if (at < bytes.length && bytes[at] !== ampersand) continue;
    if (at > start) texts.push(bytes.toString("utf8", start, at));
    if (texts.length > maxFields) throw unreadable("too_long", `The form has more than ${maxFields} fields`);
    start = at + 1;
  }
  for (const [name, value] of new URLSearchParams(texts.join("&"))) fields[name] = value;
  return fields;
}

function fromJson(bytes: Buffer): RawFields {
  if (bytes.length === 0) return noFields;
  let value: unknown;
  try {
    value = parseJson(bytes.toString("utf8"));
  } catch (error) {
    if (!(error instanceof BadJson)) throw error;
    const { message, position } = error;
    // The contract's message for text that is not JSON has no detail; only errors about our own limits add one.
    const msg = message === notJson ? "JSON decode error" : `JSON decode error: ${message}`;
    const loc = position === undefined ? ["body"] : ["body", position];
    throw invalid([{ type: "json_invalid", loc, msg, input: {}, ctx: { error: message } }]);
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as RawFields;
  const msg = "Input should be a valid dictionary or object to extract fields from";
  throw invalid([{ type: "model_attributes_type", loc: ["body"], msg, input: value }]);
}
