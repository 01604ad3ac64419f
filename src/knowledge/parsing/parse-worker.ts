/** The thread that parses one file (see file-parser.ts). */
import { parentPort, workerData } from "node:worker_threads";
import type { FileFacts } from "./kinds.ts";
import { type FileBounds, type ParsedFile, parseFile } from "./parse.ts";
import { Unreadable } from "./unreadable.ts";

/** What the thread parses. */
export interface ParseTask {
  readonly bytes: Uint8Array;
  readonly facts: FileFacts;
  readonly bounds: FileBounds;
}

/** What it found. */
export type ParseResult =
  | { readonly parsed: ParsedFile }
  /** `isKnown`: clients see the text. */
  | { readonly fault: string; readonly isKnown: boolean };

async function result({ bytes, facts, bounds }: ParseTask): Promise<ParseResult> {
  try {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return { parsed: await parseFile(buffer, facts, bounds) };
  } catch (error) {
    return { fault: (error as Error).message, isKnown: error instanceof Unreadable };
  }
}

parentPort?.postMessage(await result(workerData as ParseTask));
