/** Media types for files without one: models require a media type. */
import { isUtf8 } from "node:buffer";
import { extname } from "node:path";
import { fileName, type Media, mediaKind, specifiedMediaType } from "../../model/run/message.ts";

/** Text types that clients of the interface expect. */
const byExtension: Readonly<Record<string, string>> = {
  csv: "text/csv",
  css: "text/css",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  flac: "audio/flac",
  gif: "image/gif",
  htm: "text/html",
  html: "text/html",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  js: "text/javascript",
  json: "application/json",
  md: "text/markdown",
  mov: "video/quicktime",
  mp3: "audio/mpeg",
  mp4: "video/mp4",
  ogg: "audio/ogg",
  pdf: "application/pdf",
  png: "image/png",
  pptx: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  py: "text/x-python",
  ts: "text/plain",
  txt: "text/plain",
  wav: "audio/wav",
  webm: "video/webm",
  webp: "image/webp",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  xml: "text/xml",
  yaml: "text/plain",
  yml: "text/plain",
};

/** First bytes of files by type, read as Latin-1. */
const beginnings: readonly (readonly [start: RegExp, type: string])[] = [
  [/^%PDF-/, "application/pdf"],
  [/^\x89PNG/, "image/png"],
  [/^\xff\xd8\xff/, "image/jpeg"],
  [/^GIF8/, "image/gif"],
  [/^RIFF.{4}WEBP/s, "image/webp"],
  [/^RIFF.{4}WAVE/s, "audio/wav"],
  [/^(ID3|\xff[\xe2\xe3\xf2\xf3\xfa\xfb])/, "audio/mpeg"],
  [/^OggS/, "audio/ogg"],
  [/^fLaC/, "audio/flac"],
  [/^.{4}ftyp/s, "video/mp4"],
  [/^.E\xdf\xa3/s, "video/webm"],
];

/** Default types; the model may recognise the real type or reject the file. */
const defaultTypes = {
  image: "image/*",
  audio: "audio/wav",
  video: "video/mp4",
  file: "application/octet-stream",
} as const;

/** Returns the type of a file name's extension. */
export function typeByName(name: string): string | undefined {
  const extension = extname(name).slice(1).toLowerCase();
  return Object.hasOwn(byExtension, extension) ? byExtension[extension] : undefined;
}

/** Returns the type for the model: the given type, otherwise one derived from format, name, address and first bytes. */
export function typeForModel(media: Media): string {
  const specified = specifiedMediaType(media);
  if (specified) return specified;
  const { kind, details: { format = "" } = {}, url = "", data = "" } = media;
  const extension = format.toLowerCase();
  const candidates = [
    () => typeByName(`x.${extension}`),
    () => (kind !== "file" && /^[a-z0-9.+-]+$/.test(extension) ? `${kind}/${extension}` : undefined),
    () => typeByName(fileName(media) ?? ""),
    () => typeByName(URL.parse(url)?.pathname ?? ""),
    () => typeByBytes(kind, data),
  ];
  for (const candidate of candidates) {
    const type = candidate();
    if (type && (kind === "file" || mediaKind(type) === kind)) return type;
  }
  return defaultTypes[kind];
}

function typeByBytes(kind: Media["kind"], data: string): string | undefined {
  const start = Buffer.from(data.slice(0, 64), "base64").toString("latin1");
  const type = beginnings.find(([beginning]) => beginning.test(start))?.[1];
  // Audio and video use the same container formats.
  if (type) return kind === "audio" ? type.replace("video/", "audio/") : type;
  return kind === "file" && isPlainText(Buffer.from(data, "base64")) ? "text/plain" : undefined;
}

function isPlainText(bytes: Buffer): boolean {
  return bytes.length > 0 && isUtf8(bytes) && !bytes.includes(0);
}
