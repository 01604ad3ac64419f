/** SQLite: the writes of one turn of the event loop share a commit, and none depends on the others. */
import Database from "better-sqlite3";
import { CompiledQuery } from "kysely";
import { expect, test } from "vitest";
import { SqliteConnection } from "../../src/store/sqlite/connection.ts";
import { GroupedWrites } from "../../src/store/sqlite/grouped-writes.ts";
import type { Transaction } from "../../src/store/transaction.ts";

/** A table of unique numbers. `most` is the number of writes that one commit takes. */
function open(most = 100) {
  const connection = new SqliteConnection(new Database(":memory:"));
  connection.database.exec("create table numbers (value integer primary key)");
  const commits: number[] = [];
  const writes = new GroupedWrites({
    defer: (callback) => void setImmediate(callback),
    async alone(work) {
      const result = connection.runTransaction(work);
      commits.push(1);
      return result;
    },
    together(works) {
      const done = connection.transact(() => works.slice(0, most).map((work) => connection.runSteps(work)));
      commits.push(done.length);
      return done;
    },
  });
  function* insert(value: number): Transaction<string> {
    yield CompiledQuery.raw("insert into numbers values (?)", [value]);
    return `wrote ${value}`;
  }
  const write = (value: number): Promise<string> => writes.run(() => insert(value));
  const stored = (): unknown[] => connection.database.prepare("select value from numbers").pluck().all();
  return { write, commits, stored };
}

test("writes of one turn are committed together, in order, each with its own result", async () => {
  const { write, commits, stored } = open();
  expect(await Promise.all([write(3), write(1), write(2)])).toEqual(["wrote 3", "wrote 1", "wrote 2"]);
  await write(4);
  expect(commits).toEqual([3, 1]);
  expect(stored()).toEqual([1, 2, 3, 4]);
});

test("a write that fails is rejected, and the others of its turn are committed", async () => {
  const { write, stored } = open();
  const results = await Promise.allSettled([write(1), write(1), write(2)]);
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(stored()).toEqual([1, 2]);
});

test("writes that a commit leaves out are committed in a later turn", async () => {
  const { write, commits, stored } = open(2);
  await Promise.all([write(1), write(2), write(3), write(4), write(5)]);
  expect(commits).toEqual([2, 2, 1]);
  expect(stored()).toEqual([1, 2, 3, 4, 5]);
});
