/** Forms with files (RFC 7578): @fastify/busboy splits them; the limits and the errors are our own. */
import type { IncomingMessage } from "node:http";
import { Busboy, type BusboyFileStream, type BusboyHeaders, type BusboyInstance } from "@fastify/busboy";
import type { TroupeError } from "../../errors.ts";
import type { Settings } from "../../model/settings.ts";
import { tooLarge, uploadTooLarge } from "../../runs/limits/sizes.ts";
import type { RawFields } from "./decode.ts";
import { Gathered } from "./gathered.ts";
import { brokenOff, unreadable } from "./refusals.ts";

/** An uploaded file. It is a class, so that parsed JSON in a form's text cannot be mistaken for a file. */
export class UploadedFile {
  readonly filename: string;
  /** As the client sent it, in lower case and without parameters. */
  readonly mediaType: string;
  readonly data: Buffer;

  constructor(filename: string, mediaType: string, data: Buffer) {
    this.filename = filename;
    this.mediaType = mediaType;
    this.data = data;
  }
}

/** Maximum bytes of each part in addition to its content: its boundary and its headers. */
const partOverhead = 4 * 1024;

/** Minimum number of bytes per write to the parser. One write costs as much as parsing hundreds of bytes. */
const minWritten = 16 * 1024;

interface Part {
  readonly name: string;
  readonly filename: string;
  readonly mediaType: string;
  readonly content: Gathered;
}

/** Fields by name; files with the same name as a list of `UploadedFile`. An empty upload control counts as absent. */
export function readMultipart(message: IncomingMessage, settings: Settings): Promise<RawFields> {
  return new Promise((resolve, reject) => {
    const parser = createParser(message, settings);
    if (!parser) return reject(malformed());
    const fields: Record<string, unknown> = Object.create(null);
    const files: Part[] = [];
    let textBytes = 0;
    let fileBytes = 0;
    let settled = false;

    /** Reads and discards the rest of the body, so that the client receives the answer. */
    const refuse = (error: TroupeError): void => {
      if (settled) return;
      settled = true;
      files.length = 0;
      message.off("data", onData).off("end", onEnd);
      message.resume();
      reject(error);
    };
    parser.on("field", (name, value, nameCut, valueCut) => {
      textBytes += value.length;
      if (valueCut || textBytes > settings.maxBodyBytes)
        refuse(tooLarge("The text of the form", settings.maxBodyBytes));
      if (!nameCut) fields[name] = value;
    });
    parser.on("file", (name, stream: BusboyFileStream, filename: string | undefined, _encoding, mediaType) => {
      const part: Part = { name, filename: filename ?? "", mediaType, content: new Gathered() };
      files.push(part);
      stream.on("data", (chunk: Buffer) => {
        if (settled) return;
        part.content.add(chunk);
        fileBytes += chunk.length;
        if (fileBytes > settings.maxUploadBytes) refuse(uploadTooLarge(settings.maxUploadBytes));
      });
      stream.on("limit", () => refuse(tooLarge("A file", settings.maxFileBytes)));
      stream.on("error", () => refuse(malformed()));
    });
    const tooMany = (what: string, limit: number): void =>
      refuse(unreadable("too_long", `The form has more than ${limit} ${what}`));
    parser.on("filesLimit", () => tooMany("files", settings.maxFiles));
    parser.on("fieldsLimit", () => tooMany("fields", settings.maxFields));
    parser.on("partsLimit", () => tooMany("parts", settings.maxFields + settings.maxFiles));
    parser.on("error", () => refuse(malformed()));
    // Bytes outside of parts count too: the parser reads a preamble or an epilogue of any length.
    const most =
      settings.maxBodyBytes + settings.maxUploadBytes + (settings.maxFields + settings.maxFiles) * partOverhead;
    let bytes = 0;
    const arrived = new Gathered();
    const onData = (chunk: Buffer): void => {
      bytes += chunk.length;
      if (bytes > most) {
        refuse(tooLarge("The body", most));
        return;
      }
      arrived.add(chunk);
      if (arrived.length < minWritten || parser.write(arrived.take())) return;
      message.pause();
      parser.once("drain", () => message.resume());
    };
    const onEnd = (): void => {
      parser.end(arrived.take());
    };
    const onError = (): void => refuse(brokenOff());
    parser.on("finish", () => {
      settled = true;
      // The request lives until its response ends; its listeners would keep the parsed form in memory until then.
      message.off("error", onError).off("data", onData);
      resolve(Object.assign(fields, byName(files)));
    });
    message.on("data", onData);
    message.once("end", onEnd);
    message.once("error", onError);
    message.once("close", () => {
      if (!message.complete) refuse(brokenOff());
    });
  });
}

function createParser(message: IncomingMessage, settings: Settings): BusboyInstance | undefined {
  const { maxBodyBytes, maxFields, maxFiles, maxFileBytes } = settings;
  const parts = maxFields + maxFiles;
  const limits = {
    fieldSize: maxBodyBytes,
    fields: maxFields,
    files: maxFiles,
    fileSize: maxFileBytes,
    parts,
    headerPairs: 50,
  };
  try {
    return new Busboy({ headers: message.headers as BusboyHeaders, limits });
  } catch {
    return undefined;
  }
}

function byName(parts: readonly Part[]): Record<string, readonly UploadedFile[]> {
  const files: Record<string, UploadedFile[]> = Object.create(null);
  for (const { name, filename, mediaType, content } of parts) {
    const data = content.take();
    if (filename === "" && data.length === 0) continue;
    files[name] ??= [];
    files[name].push(new UploadedFile(filename, mediaType.split(";", 1)[0]?.trim().toLowerCase() ?? "", data));
  }
  return files;
}

function malformed(): TroupeError {
  return unreadable("multipart_invalid", "The body is not a complete multipart/form-data");
}
