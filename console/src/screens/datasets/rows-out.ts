/** The rows of a dataset as texts that a dataset can be created of. */
import type { components } from "../../api/schema.ts";

type Row = Pick<components["schemas"]["DatasetRow"], "input" | "expected" | "metadata">;

/** A list of rows, without the members that they do not have. */
export function toJson(rows: readonly Row[]): readonly object[] {
  return rows.map(({ input, expected, metadata }) => ({
    input,
    ...(expected !== null && { expected }),
    ...(metadata && { metadata }),
  }));
}

/** A table with a column for each member of the metadata. Values of the metadata that are no texts become JSON. */
export function toCsv(rows: readonly Row[]): string {
  const names = [...new Set(rows.flatMap(({ metadata }) => Object.keys(metadata ?? {})))].filter(
    (name) => name !== "input" && name !== "expected",
  );
  const lines = rows.map(({ input, expected, metadata }) => [
    input,
    expected ?? "",
    ...names.map((name) => textOf(metadata?.[name])),
  ]);
  return [["input", "expected", ...names], ...lines].map((cells) => `${cells.map(quoted).join(",")}\n`).join("");
}

function textOf(value: unknown): string {
  return value === undefined || value === null ? "" : typeof value === "string" ? value : JSON.stringify(value);
}

function quoted(cell: string): string {
  return /[",;\t\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
