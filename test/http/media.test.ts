import fc from "fast-check";
import { expect, test } from "vitest";
import { documentItem, fromItem, mediaItem, toMedia } from "../../src/http/input/media.ts";
import { UploadedFile } from "../../src/http/input/multipart.ts";
import { toMediaItem } from "../../src/model/run/media-item.ts";

test("an uploaded file is the same file after its record is sent again", () => {
  const types = fc.constantFrom(
    "text/plain",
    "text/csv",
    "application/json",
    "application/pdf",
    "image/png",
    "audio/wav",
  );
  const bytes = fc.oneof(fc.uint8Array({ minLength: 1 }), fc.string({ minLength: 1, unit: "binary" }).map(Buffer.from));
  fc.assert(
    fc.property(fc.string({ maxLength: 20 }), types, bytes, (name, type, data) => {
      const media = toMedia(new UploadedFile(name, type, Buffer.from(data)));
      const answered: unknown = JSON.parse(JSON.stringify(toMediaItem(media)));
      const schema = media.kind === "file" ? documentItem : mediaItem;
      expect(fromItem(media.kind, schema.parse(answered))).toEqual(media);
    }),
  );
});

test("bytes that are not text despite their media type are returned as a data URI", () => {
  const file = toMedia(new UploadedFile("a.txt", "text/plain", Buffer.from([0xff])));
  expect(toMediaItem(file)).toMatchObject({
    url: "data:application/octet-stream;base64,/w==",
    mime_type: "text/plain",
  });
  expect(toMediaItem(file, false)).not.toHaveProperty("url");
});

test("a generic media type is omitted", () => {
  const url = "https://example.com/a";
  expect(toMediaItem({ kind: "image", mediaType: "image/*", url })).toEqual({ url });
  expect(toMediaItem({ kind: "file", mediaType: "application/octet-stream", url })).toEqual({ url });
  expect(toMediaItem({ kind: "file", mediaType: "application", url })).toEqual({ url });
});

test("an uploaded file of unknown type gets the media type of its extension, and an unknown extension throws", () => {
  const typeOf = (name: string) =>
    toMedia(new UploadedFile(name, "application/octet-stream", Buffer.from("x"))).mediaType;
  expect(["a.XML", "a.yaml", "a.png", "a.docx"].map(typeOf)).toEqual([
    "text/xml",
    "text/plain",
    "image/png",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  ]);
  expect(() => typeOf("constructor")).toThrow("Unsupported file type");
});
