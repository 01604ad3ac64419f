/** Provides the files of a folder as documents. */
import { opendir, readFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { KnowledgeDocument, KnowledgeDocuments } from "../define/knowledge-documents.ts";

/** Options of `folder`. */
export interface FolderOptions {
  /** Selects files by their path in the folder, with `/` between its parts. Default: files that end in `.md`, `.markdown`, `.txt` and `.html`. */
  include?(path: string): boolean;
  /** Metadata of a file by its path: a `url` that citations link to, values for filters. */
  metadata?(path: string): Readonly<Record<string, unknown>>;
}

/**
 * Provides the files of a folder and the folders in it as documents. Hidden files and `node_modules` are left out. The title of a Markdown file is its
 * first heading.
 *
 * @example
 * ```ts
 * const docs = defineKnowledge({ id: "docs", embedder: lexicalEmbedder(), documents: folder("./docs") });
 * ```
 */
export function folder(
  path: string | URL,
  { include = (name) => /\.(md|markdown|txt|html)$/i.test(name), metadata }: FolderOptions = {},
): KnowledgeDocuments {
  const root = path instanceof URL ? fileURLToPath(path) : path;
  return async function* (signal) {
    for await (const file of filesIn(root, signal)) {
      const name = relative(root, file).split(sep).join("/");
      if (!include(name)) continue;
      const content = await readFile(file, { signal });
      const title = titleOf(name, content);
      const own = metadata?.(name);
      yield { name, content, ...(title && { title }), ...(own && { metadata: own }) } satisfies KnowledgeDocument;
    }
  };
}

async function* filesIn(path: string, signal: AbortSignal): AsyncGenerator<string> {
  for await (const entry of await opendir(path)) {
    signal.throwIfAborted();
    if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
    const inner = join(path, entry.name);
    if (entry.isDirectory()) yield* filesIn(inner, signal);
    else if (entry.isFile()) yield inner;
  }
}

/** The first heading of a Markdown file, if it is at its beginning. */
function titleOf(name: string, content: Buffer): string | undefined {
  if (!/\.(md|markdown)$/i.test(name)) return undefined;
  return /^\s*# +(.{1,200})$/m.exec(content.subarray(0, 2_000).toString("utf8"))?.[1]?.trim();
}
