/** Writes rows of tables as lines. Every line names its columns, so that a chunk of a few rows says what its values are. */
import type { TextBuilder } from "./text-builder.ts";

/** Takes the rows of a table in order. A first row of different texts names the columns. */
export class RowWriter {
  readonly #text: TextBuilder;
  readonly #prefix: string;
  #names: readonly string[] | undefined;

  /** `prefix` begins every line. */
  constructor(text: TextBuilder, prefix = "") {
    this.#text = text;
    this.#prefix = prefix;
  }

  /** A cell without a value is an empty text. */
  add(cells: readonly string[]): void {
    const values = cells.map(oneLine);
    if (values.every((value) => value === "")) return;
    if (this.#names === undefined) {
      this.#names = isHeader(values) ? values : [];
      if (this.#names.length > 0) return;
    }
    this.#text.add(`${this.#prefix}${values.flatMap((value, place) => this.#pair(value, place)).join("; ")}\n`);
  }

  #pair(value: string, place: number): readonly string[] {
    if (value === "") return [];
    const name = this.#names?.[place] ?? "";
    return [name === "" ? value : `${name}: ${value}`];
  }
}

/** Texts that differ, none of which is a number. */
function isHeader(values: readonly string[]): boolean {
  const names = values.filter((value) => value !== "");
  return (
    names.length === new Set(names).size && names.every((name) => name.length <= 100 && Number.isNaN(Number(name)))
  );
}

/** Returns a value without line breaks. */
export function oneLine(value: string): string {
  return value.replace(/\s+/g, " ").trim();
}
