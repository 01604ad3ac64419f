/** Lists the files of sources in pages. */
import { type ContentSource, SourceFault, type SourceFile } from "../../define/knowledge.ts";
import { TroupeError } from "../../errors.ts";
import { isPrefixInSource } from "../../knowledge/sources/paths.ts";

/** A page of the files of a source. */
export interface FileQuery {
  /** Default: the prefix of the source. */
  readonly prefix: string | undefined;
  readonly delimiter: string;
  readonly limit: number;
  /** From 1. */
  readonly page: number;
}

/** Files of a page, and all folders that the listing found up to it. */
export interface FilePage {
  readonly source: ContentSource;
  readonly prefix: string;
  readonly folders: readonly string[];
  readonly files: readonly SourceFile[];
  /** Files that were found. There are more if the source has more than the listing reads. */
  readonly total: number;
}

/** Files that a listing reads to find a page: stores continue a listing from its last answer only. */
const maxListed = 10_000;

/** Files of one answer of a store. */
const perAnswer = 1_000;

/** Returns a page of files. @throws TroupeError `badRequest` for a prefix outside of the source, `unavailable` if the source does not answer */
export async function listFiles(
  source: ContentSource,
  { prefix = source.prefix, delimiter, limit, page }: FileQuery,
  signal: AbortSignal,
): Promise<FilePage> {
  if (!isPrefixInSource(source, prefix))
    throw new TroupeError("badRequest", `The prefix must begin with the prefix of the source: "${source.prefix}".`);
  const first = (page - 1) * limit;
  if (first >= maxListed)
    throw new TroupeError("badRequest", `A listing has at most ${maxListed} files: list a folder of the source.`);
  const files: SourceFile[] = [];
  const folders = new Set<string>();
  let cursor: string | undefined;
  try {
    do {
      const part = await source.list({ prefix, delimiter, cursor, limit: perAnswer }, signal);
      for (const file of part.files) files.push(file);
      for (const folder of part.folders) folders.add(folder);
      cursor = part.next;
      // One file more than the page shows that there is another page.
    } while (cursor !== undefined && files.length <= first + limit && files.length + folders.size < maxListed);
  } catch (error) {
    if (!(error instanceof SourceFault)) throw error;
    throw new TroupeError("unavailable", error.message);
  }
  return { source, prefix, folders: [...folders], files: files.slice(first, first + limit), total: files.length };
}
