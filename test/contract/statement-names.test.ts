/** Which statements of the Postgres store are prepared. */
import { expect, test } from "vitest";
import { StatementNames } from "../../src/store/postgres/statement-names.ts";

const text = "select status from run_heads where run_key = $1";

test("a statement gets a name when it is used the second time; the name stays the same and is unique", () => {
  const names = new StatementNames();
  expect(names.nameOf(text, 1)).toBeUndefined();
  const name = names.nameOf(text, 1);
  expect(name).toBeDefined();
  expect(names.nameOf(text, 1)).toBe(name);
  names.nameOf(`${text} limit 1`, 1);
  expect(names.nameOf(`${text} limit 1`, 1)).not.toBe(name);
});

test.each([
  ["without parameters", "select 1", 0],
  ["with a long list of parameters", text, 41],
  ["that selects *", "select * from runs where key = $1", 1],
  ["that selects all columns of one table", 'select "r".* from "runs" as "r" where key = $1', 1],
  ["that returns * of changed rows", "delete from runs where key = $1 returning *", 1],
])("a statement %s gets no name", (_, statement, parameters) => {
  const names = new StatementNames();
  for (let time = 0; time < 3; time++) expect(names.nameOf(statement, parameters)).toBeUndefined();
});

test("a statement that selects count(*) gets a name", () => {
  const names = new StatementNames();
  const count = "select count(*) from runs where session_key = $1";
  names.nameOf(count, 1);
  expect(names.nameOf(count, 1)).toBeDefined();
});

test("the number of names is bounded: 2,000 statements get at most 300 names", () => {
  const names = new StatementNames();
  const given = new Set<string | undefined>();
  for (let n = 0; n < 2_000; n++) {
    names.nameOf(`${text} limit ${n}`, 1);
    given.add(names.nameOf(`${text} limit ${n}`, 1));
  }
  expect(given.size).toBeLessThanOrEqual(301);
});
