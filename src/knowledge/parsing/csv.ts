/** Parses tables of separated values. */
import { CsvError, parse } from "csv-parse/sync";
import { RowWriter } from "./rows.ts";
import type { TextBuilder } from "./text-builder.ts";
import { Unreadable } from "./unreadable.ts";

const delimiters = [",", ";", "\t", "|"] as const;

/** Max characters of a row. */
const maxRow = 1_000_000;

/** Writes the rows of a table. The delimiter is the one that the first line has most of. @throws Unreadable */
export function parseCsv(source: string, text: TextBuilder): void {
  const rows = new RowWriter(text);
  try {
    parse(source, {
      ...{ bom: true, delimiter: delimiterOf(source), relax_column_count: true, relax_quotes: true },
      ...{ skip_empty_lines: true, max_record_size: maxRow },
      // Rows are not kept: a table may have millions.
      on_record: (row: string[]) => {
        rows.add(row);
        return null;
      },
    });
  } catch (error) {
    if (error instanceof CsvError) throw new Unreadable(`The table cannot be parsed: ${error.message}`);
    throw error;
  }
}

function delimiterOf(source: string): string {
  const [line = ""] = source.slice(0, 65_536).trimStart().split("\n");
  const counts = delimiters.map((delimiter) => ({ delimiter, count: line.split(delimiter).length }));
  return counts.reduce((most, one) => (one.count > most.count ? one : most)).delimiter;
}
