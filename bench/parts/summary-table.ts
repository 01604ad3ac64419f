/** The table of the summary: a row for each figure, with its target. */
import type { EngineName } from "./databases.ts";
import { median } from "./statistics.ts";
import { printTable, spread } from "./table.ts";

/** The limits of a figure on each database. */
export interface Target {
  readonly sign: "≤" | "≥";
  readonly limits: Readonly<Record<EngineName, number>>;
}

export const atMost = (sqlite: number, postgres: number): Target => ({ sign: "≤", limits: { sqlite, postgres } });
export const atLeast = (sqlite: number, postgres: number): Target => ({ sign: "≥", limits: { sqlite, postgres } });

type Column = EngineName | "bare";

/** Collects the figures of all passes. */
export class SummaryTable<Figure extends string> {
  readonly #rows: readonly (readonly [Figure, Target | undefined])[];
  readonly #values = new Map<string, number[]>();

  /** @param rows the figures in the order of the table; without a target, a figure is only reported */
  constructor(rows: Readonly<Record<Figure, Target | undefined>>) {
    this.#rows = Object.entries(rows) as [Figure, Target | undefined][];
  }

  /** Adds the figure of one pass. */
  add(figure: Figure, column: Column, value: number): void {
    const key = `${figure}/${column}`;
    this.#values.set(key, [...(this.#values.get(key) ?? []), value]);
  }

  print(title: string): void {
    const of = (figure: Figure, column: Column): readonly number[] => this.#values.get(`${figure}/${column}`) ?? [];
    const rows = this.#rows.map(([figure, target]) => {
      const verdict = (engine: EngineName): string => {
        const values = of(figure, engine);
        if (values.length === 0) return "";
        return target ? `${spread(values)} ${isMet(target, engine, values) ? "met" : "MISSED"}` : spread(values);
      };
      const bare = of(figure, "bare");
      const passes = Math.max(bare.length, of(figure, "sqlite").length, of(figure, "postgres").length);
      return {
        figure,
        bare: bare.length > 0 ? spread(bare) : "",
        SQLite: verdict("sqlite"),
        Postgres: verdict("postgres"),
        target: target ? `${target.sign} ${target.limits.sqlite} / ${target.limits.postgres}` : "",
        passes,
      };
    });
    printTable(title, rows);
  }
}

/** Whether the median of the passes meets the target. */
function isMet({ sign, limits }: Target, engine: EngineName, values: readonly number[]): boolean {
  return sign === "≤" ? median(values) <= limits[engine] : median(values) >= limits[engine];
}
