/** The thread that parses one file (see parse-process.ts). */
import { parentPort, workerData } from "node:worker_threads";
import type { FileFacts } from "./kinds.ts";
import { type FileBounds, type ParsedFile, parseFile } from "./parse.ts";
import { Unreadable } from "./unreadable.ts";

/** What a process parses. */
export interface ParseTask {
  readonly bytes: Uint8Array;
  readonly facts: FileFacts;
  readonly bounds: FileBounds & { readonly maxMemoryBytes: number };
}

/** What it found: the text; a refusal that clients see; or that the file needs too much memory or makes a library fail. */
export type ParseResult =
  | { readonly parsed: ParsedFile }
  | { readonly refusal: string }
  | { readonly fault: "memory" | "damage" };

async function result({ bytes, facts, bounds }: ParseTask): Promise<ParseResult> {
  try {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return { parsed: await parseFile(buffer, facts, bounds) };
  } catch (error) {
    return error instanceof Unreadable ? { refusal: error.message } : { fault: "damage" };
  }
}

parentPort?.postMessage(await result(workerData as ParseTask));
