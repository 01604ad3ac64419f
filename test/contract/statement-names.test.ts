/** Which statements of the Postgres store are prepared. */
import { expect, test } from "vitest";
import { StatementNames } from "../../src/store/postgres/statement-names.ts";

const text = "select status from run_heads where run_key = $1";

test("a statement has a name from its second time on, always the same and its own", () => {
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
  ["with a long list", text, 41],
  ["that asks for all columns, whichever there are", "select * from runs where key = $1", 1],
  ["that asks for all columns of one table", 'select "r".* from "runs" as "r" where key = $1', 1],
  ["that answers all columns of what it changed", "delete from runs where key = $1 returning *", 1],
])("none %s", (_, statement, parameters) => {
  const names = new StatementNames();
  for (let time = 0; time < 3; time++) expect(names.nameOf(statement, parameters)).toBeUndefined();
});

test("a count of rows does not ask for all columns", () => {
  const names = new StatementNames();
  const count = "select count(*) from runs where session_key = $1";
  names.nameOf(count, 1);
  expect(names.nameOf(count, 1)).toBeDefined();
});

test("connections do not keep more and more of them", () => {
  const names = new StatementNames();
  const given = new Set<string | undefined>();
  for (let n = 0; n < 2_000; n++) {
    names.nameOf(`${text} limit ${n}`, 1);
    given.add(names.nameOf(`${text} limit ${n}`, 1));
  }
  expect(given.size).toBeLessThanOrEqual(301);
});
