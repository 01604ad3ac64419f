/** Reads the documentation pages, their code blocks and their tables. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const project: string = fileURLToPath(new URL("../../../", import.meta.url));

/** A Markdown file of the project. */
export interface Page {
  /** Relative to the project. */
  readonly path: string;
  readonly text: string;
}

/** A fenced block of code. */
export interface Block {
  /** The first word after the fence: `ts`, `sh`. */
  readonly language: string;
  /** The words after it. */
  readonly marks: readonly string[];
  readonly code: string;
  /** File and line of the block, for messages: `README.md:12`. */
  readonly place: string;
}

/** Returns every page: those in the root, all of `docs/`, and the client package's README. */
export function pages(): readonly Page[] {
  const root = readdirSync(project).filter((name) => name.endsWith(".md"));
  const docs = readdirSync(join(project, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => join("docs", name));
  return [...root, ...docs, "client/README.md"].map(page);
}

/** Returns one page. */
export function page(path: string): Page {
  return { path, text: readFileSync(join(project, path), "utf8") };
}

/** Returns the page's fenced code blocks. */
export function blocks({ path, text }: Page): readonly Block[] {
  return [...text.matchAll(/^```(\S*)(.*)\n([\s\S]*?)^```$/gm)].map((match) => {
    const [, language = "", marks = "", code = ""] = match;
    const line = text.slice(0, match.index).split("\n").length;
    return { language, marks: marks.trim().split(/\s+/).filter(Boolean), code, place: `${path}:${line}` };
  });
}

/** Returns the page without its code blocks. */
export function prose({ text }: Page): string {
  return text.replaceAll(/^```[\s\S]*?^```$/gm, "");
}

/** Returns the rows of the tables whose first head cell is `first`, as lists of cells without code marks. */
export function rows(from: Page, first: string): readonly (readonly string[])[] {
  const found: string[][] = [];
  let inside = false;
  for (const line of from.text.split("\n")) {
    const cells = line.startsWith("|")
      ? line
          .slice(1, -1)
          .split("|")
          .map((cell) => cell.trim())
      : undefined;
    if (!cells) inside = false;
    else if (!inside && cells[0] === first) inside = true;
    else if (inside && !/^-+$/.test(cells[0] ?? "")) found.push(cells.map((cell) => cell.replaceAll("`", "")));
  }
  return found;
}
