/** The inventory of stored columns. */
import { expect, test } from "vitest";
import { clearColumns, sealedBytes, sealedColumns } from "../../src/store/encryption/columns.ts";
import { openOn } from "../contract/store-fixtures.ts";
import { eachDatabase } from "../support/databases.ts";
import { querySql } from "../support/execute-sql.ts";
import { tablesOf } from "./stored.ts";

eachDatabase("the inventory", (openDatabase, kind) => {
  test("lists every column of every table exactly once, as encrypted or as clear", async () => {
    const database = await openDatabase();
    await openOn(database);
    const stored: string[] = [];
    for (const table of await tablesOf(database)) {
      const text =
        kind === "sqlite"
          ? `select name from pragma_table_info('${table}')${table === "knowledge_terms" ? " union select 'rowid'" : ""}`
          : `select column_name as name from information_schema.columns where table_name = '${table}' and table_schema = current_schema()`;
      for (const { name } of await querySql<{ name: string }>(database, text)) stored.push(`${table}.${name}`);
    }
    const clear = Object.entries(clearColumns).flatMap(([table, columns]) =>
      Object.keys(columns).map((column) => `${table}.${column}`),
    );
    const listed = [...Object.keys(sealedColumns), ...Object.keys(sealedBytes), ...clear];
    expect(new Set(listed).size).toBe(listed.length);
    const only = { sqlite: /^tails\./, postgres: /^rate_limits\./ };
    const here = listed.filter((name) => !only[kind === "sqlite" ? "postgres" : "sqlite"].test(name));
    expect(stored.filter((name) => !here.includes(name))).toEqual([]);
    expect(here.filter((name) => !stored.includes(name))).toEqual([]);
  });
});

test("every encrypted column has a number of its own", () => {
  const codes = [...Object.values(sealedColumns).map(({ code }) => code), ...Object.values(sealedBytes)];
  expect(new Set(codes).size).toBe(codes.length);
});
