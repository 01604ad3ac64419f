import { expect, test } from "vitest";
import { typeForModel } from "../../src/engine/model-call/media-type.ts";
import type { Media } from "../../src/model/run/message.ts";

const start = (text: string): string => Buffer.from(text, "latin1").toString("base64");
const unsaid = { image: "image", audio: "audio", video: "video", file: "application" } as const;

function of(kind: Media["kind"], more: Partial<Media>): string {
  return typeForModel({ kind, mediaType: unsaid[kind], ...more });
}

test("a specified media type is kept", () => {
  expect(of("image", { mediaType: "image/bmp", filename: "a.png" })).toBe("image/bmp");
  expect(of("file", { mediaType: "text/csv; charset=utf-8" })).toBe("text/csv; charset=utf-8");
});

test("without a media type, the type is derived from format, file name or URL, if it fits the kind", () => {
  expect(of("image", { details: { format: "JPG" } })).toBe("image/jpeg");
  expect(of("image", { details: { format: "heic" } })).toBe("image/heic");
  expect(of("image", { details: { format: "a b" } })).toBe("image/*");
  expect(of("audio", { details: { format: "mp3" }, filename: "a.wav" })).toBe("audio/mpeg");
  expect(of("file", { details: { format: "pdf" } })).toBe("application/pdf");
  expect(of("file", { details: { name: "a.MD" } })).toBe("text/markdown");
  expect(of("file", { mediaType: "application/octet-stream", filename: "a.png" })).toBe("image/png");
  expect(of("video", { url: "https://x.example/a.mov?b=c.mp4" })).toBe("video/quicktime");
  expect(of("image", { mediaType: "image/*", filename: "a.txt" })).toBe("image/*");
});

test("without format and name, the type is derived from the first bytes", () => {
  const found = (kind: Media["kind"], text: string) => of(kind, { data: start(text) });
  expect(found("file", "%PDF-1.7")).toBe("application/pdf");
  expect(found("image", "\x89PNG\r\n")).toBe("image/png");
  expect(found("image", "\xff\xd8\xff\xe0")).toBe("image/jpeg");
  expect(found("image", "GIF89a")).toBe("image/gif");
  expect(found("image", "RIFF\x0a\0\0\0WEBPVP8")).toBe("image/webp");
  expect(found("audio", "RIFF\x0a\0\0\0WAVEfmt")).toBe("audio/wav");
  expect(found("audio", "ID3\x04")).toBe("audio/mpeg");
  expect(found("audio", "\0\0\0\x18ftypM4A ")).toBe("audio/mp4");
  expect(found("video", "\0\0\0\x18ftypisom")).toBe("video/mp4");
  expect(found("video", "\x1aE\xdf\xa3")).toBe("video/webm");
  expect(found("file", "a text, whole and plain")).toBe("text/plain");
  expect(found("file", "a text\0")).toBe("application/octet-stream");
});

test("without known first bytes, the type is the default of the kind", () => {
  const data = start("\xfe\xfe");
  expect((["image", "audio", "video", "file"] as const).map((kind) => of(kind, { data }))).toEqual([
    "image/*",
    "audio/wav",
    "video/mp4",
    "application/octet-stream",
  ]);
});
