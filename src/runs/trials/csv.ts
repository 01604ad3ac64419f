/** Rows of a dataset from a table of separated values. */
import { CsvError, parse } from "csv-parse/sync";
import { TroupeError } from "../../errors.ts";
import type { TrialRow } from "../../model/trial.ts";
import { maxAddedRows } from "./datasets.ts";

/** Max characters of a table: it is parsed without a pause. */
export const maxCsv: number = 4 * 1024 * 1024;

/** Max columns of a table: each row is searched for all of them. */
const maxColumns = 100;

/** Max characters of the other cells of a row, like those of the metadata of a row in JSON. */
const maxOthers = 20_000;

/**
 * Parses a table whose first line names the columns: `input`, optionally `expected`, and others, which become metadata. An empty `expected` is none.
 *
 * @throws TroupeError `validation`, `tooLarge`
 */
export function rowsOfCsv(text: string): readonly TrialRow[] {
  if (text.length > maxCsv) throw new TroupeError("tooLarge", `The table has more than ${maxCsv} characters.`);
  const [columns, ...lines] = parsed(text);
  const names = (columns ?? []).map((name) => name.trim());
  const [input, expected] = [names.indexOf("input"), names.indexOf("expected")];
  if (names.length > maxColumns)
    throw new TroupeError("validation", `A table has at most ${maxColumns} columns: this one has ${names.length}.`);
  if (input === -1)
    throw new TroupeError("validation", 'The first line of the table must name its columns, one of them "input".');
  if (lines.length > maxAddedRows)
    throw new TroupeError("validation", `One request adds at most ${maxAddedRows} rows: divide the table.`);
  return lines.map((cells, place): TrialRow => {
    const message = cells[input] ?? "";
    if (message.trim() === "") throw new TroupeError("validation", `Row ${place + 1} of the table has no input.`);
    const others = names.flatMap((name, column) => {
      const cell = cells[column] ?? "";
      return column === input || column === expected || name === "" || cell === "" ? [] : [[name, cell] as const];
    });
    if (others.reduce((sum, [, cell]) => sum + cell.length, 0) > maxOthers)
      throw new TroupeError("validation", `The metadata of row ${place + 1} of the table is too large.`);
    return {
      input: message,
      expected: cells[expected] || null,
      metadata: others.length === 0 ? null : Object.fromEntries(others),
    };
  });
}

function parsed(text: string): readonly string[][] {
  try {
    return parse(text, {
      ...{ bom: true, relax_column_count: true, relax_quotes: true, skip_empty_lines: true, to: maxAddedRows + 2 },
      delimiter: delimiterOf(text),
    });
  } catch (error) {
    if (error instanceof CsvError) throw new TroupeError("validation", `The table cannot be parsed: ${error.message}`);
    throw error;
  }
}

function delimiterOf(text: string): string {
  const [line = ""] = text.slice(0, 65_536).trimStart().split("\n");
  const count = (delimiter: string): number => line.split(delimiter).length;
  return [",", ";", "\t"].reduce((most, one) => (count(one) > count(most) ? one : most));
}
