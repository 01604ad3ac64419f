/** Tables of figures, in the form that RESULTS.md uses. */
import { type Spread, spreadOf } from "./statistics.ts";

/** Prints rows with named cells as a Markdown table. */
export function printTable(title: string, rows: readonly Readonly<Record<string, string | number>>[]): void {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cells = [columns, ...rows.map((row) => columns.map((column) => String(row[column] ?? "")))];
  const widths = columns.map((_, place) => Math.max(...cells.map((row) => (row[place] ?? "").length)));
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, place) => cell.padEnd(widths[place] ?? 0)).join(" | ")} |`;
  const [head = [], ...body] = cells;
  console.log(`\n### ${title}\n`);
  for (const row of [head, widths.map((width) => "-".repeat(width)), ...body]) console.log(line(row));
}

/** Formats a number with about three significant digits: `412k`, `3.6`, `0.47`. */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return "-";
  if (value >= 1e6) return `${(value / 1e6).toFixed(2)}M`;
  if (value >= 10_000) return `${Math.round(value / 1000)}k`;
  if (value >= 100) return String(Math.round(value));
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

/** Median with the minimum and maximum of the passes. */
export function spread(values: readonly number[]): string {
  const { median, least, most }: Spread = spreadOf(values);
  return values.length > 1 ? `${figure(median)} (${figure(least)}-${figure(most)})` : figure(median);
}
