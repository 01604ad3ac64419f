/**
 * Reads files of a ZIP archive, as Office documents are. Sizes that an archive declares may be wrong, so that decompression itself is bounded: an archive
 * of a few kilobytes may expand to gigabytes.
 */
import { inflateRawSync } from "node:zlib";
import { Unreadable } from "./unreadable.ts";

interface Entry {
  readonly method: number;
  readonly compressed: number;
  readonly offset: number;
}

const endSignature = 0x06054b50;
const entrySignature = 0x02014b50;
const endLength = 22;
const maxComment = 65_535;

/** Max entries; documents have some hundred. */
const maxEntries = 20_000;

/** An archive in memory. */
export class Archive {
  readonly #bytes: Buffer;
  readonly #entries: ReadonlyMap<string, Entry>;
  #left: number;

  /** `maxBytes`: what all files that are read may expand to. @throws Unreadable */
  constructor(bytes: Buffer, maxBytes: number) {
    this.#bytes = bytes;
    this.#left = maxBytes;
    this.#entries = guarded(() => entriesOf(bytes));
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  /** Returns a file's bytes; undefined if the archive does not have it. @throws Unreadable */
  read(name: string): Buffer | undefined {
    const entry = this.#entries.get(name);
    return entry && guarded(() => this.#expand(entry));
  }

  #expand({ method, compressed, offset }: Entry): Buffer {
    const bytes = this.#bytes;
    const start = offset + 30 + bytes.readUInt16LE(offset + 26) + bytes.readUInt16LE(offset + 28);
    const data = bytes.subarray(start, start + compressed);
    if (method !== 0 && method !== 8) throw new Unreadable("The file has an unknown compression.");
    if (this.#left <= 0 || (method === 0 && data.length > this.#left)) throw tooLarge();
    const file = method === 0 ? data : inflateRawSync(data, { maxOutputLength: this.#left });
    this.#left -= file.length;
    return file;
  }
}

function tooLarge(): Unreadable {
  return new Unreadable("The file expands to more data than a document may have.");
}

function guarded<Result>(act: () => Result): Result {
  try {
    return act();
  } catch (error) {
    if (error instanceof Unreadable) throw error;
    if ((error as { code?: unknown }).code === "ERR_BUFFER_TOO_LARGE") throw tooLarge();
    throw new Unreadable("The file is damaged: it is not a complete archive.");
  }
}

function entriesOf(bytes: Buffer): ReadonlyMap<string, Entry> {
  const first = Math.max(0, bytes.length - endLength - maxComment);
  let end = bytes.length - endLength;
  while (end >= first && bytes.readUInt32LE(end) !== endSignature) end -= 1;
  if (end < first) throw new Unreadable("The file is damaged: it is not a complete archive.");
  const count = bytes.readUInt16LE(end + 10);
  if (count > maxEntries) throw new Unreadable("The file has too many parts.");
  const entries = new Map<string, Entry>();
  let at = bytes.readUInt32LE(end + 16);
  for (let number = 0; number < count; number++) {
    if (bytes.readUInt32LE(at) !== entrySignature)
      throw new Unreadable("The file is damaged: it is not a complete archive.");
    const nameLength = bytes.readUInt16LE(at + 28);
    const name = bytes.toString("utf8", at + 46, at + 46 + nameLength);
    entries.set(name, {
      method: bytes.readUInt16LE(at + 10),
      compressed: bytes.readUInt32LE(at + 20),
      offset: bytes.readUInt32LE(at + 42),
    });
    at += 46 + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  return entries;
}
