import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { parseSync, Visitor } from "oxc-parser";

export interface Import {
  /** The text between the quotes. */
  specifier: string;
  line: number;
}

export interface SourceFile {
  /** Relative to the project, with forward slashes. */
  path: string;
  imports: Import[];
}

/** Every source file under the project's `folder` with its imports: static, dynamic, of types, of workers, and re-exports. */
export function readSources(project: string, folder: string): SourceFile[] {
  const top = join(project, folder);
  if (!existsSync(top)) return [];
  return readdirSync(top, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.[cm]?[jt]sx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !file.startsWith(join(top, "dist")))
    .sort()
    .map((file) => ({
      path: relative(project, file).split(sep).join("/"),
      imports: importsOf(file, readFileSync(file, "utf8")),
    }));
}

function importsOf(file: string, source: string): Import[] {
  const { program, errors } = parseSync(file, source);
  if (errors[0]) throw new Error(`${file} cannot be parsed: ${errors[0].message}`);

  const imports: Import[] = [];
  const add = (literal: { type: string; value?: unknown; start: number } | null): void => {
    if (typeof literal?.value !== "string") return;
    imports.push({ specifier: literal.value, line: source.slice(0, literal.start).split("\n").length });
  };
  new Visitor({
    ImportDeclaration: (node) => add(node.source),
    ExportNamedDeclaration: (node) => add(node.source),
    ExportAllDeclaration: (node) => add(node.source),
    ImportExpression: (node) => add(node.source),
    TSImportType: (node) => add(node.source),
    NewExpression: (node) => {
      // new URL("./worker.ts", import.meta.url): a worker's entry file is an import too.
      const [path, base] = node.arguments;
      const isUrl = node.callee.type === "Identifier" && node.callee.name === "URL";
      if (
        isUrl &&
        path?.type === "Literal" &&
        base?.type === "MemberExpression" &&
        /\.[cm]?[jt]s"$/.test(path.raw ?? "")
      )
        add(path);
    },
  }).visit(program);
  return imports;
}
