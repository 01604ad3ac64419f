/** The plans of the group commit's statements on Postgres. Each is prepared once, on whatever the tables hold then, and the server keeps its plan. */
import type pg from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { appendConfig } from "../../src/store/postgres/client.ts";
import * as facts from "../../src/store/postgres/flush/facts-statements.ts";
import * as rare from "../../src/store/postgres/flush/rare-statements.ts";
import { allParts, compose } from "../../src/store/postgres/flush/statement.ts";
import { filledDatabase, isKeyed, preparedReads, sizes, wayOf } from "./postgres-plans.ts";

const unchecked = allParts.filter((part) => "writes" in part);
const statements = [...Object.values({ ...facts, ...rare }), compose(allParts), compose(unchecked)];

/** Reads of tables that are not by key, by statement. */
async function unkeyedReads(client: pg.Client): Promise<string[]> {
  const found: string[] = [];
  for (const { name, text } of statements) {
    const readsNow = await preparedReads(client, name, text);
    for (const read of await readsNow())
      if (!isKeyed(read)) found.push(`${name}: ${wayOf(read)} ${read.condition ?? ""}`);
    await client.query(`deallocate ${name}`);
  }
  return found;
}

describe("the group commit on Postgres", () => {
  test.each(Object.entries(sizes))("reads %s tables by key, with and without statistics", async (_, count) => {
    const { client, close } = await filledDatabase(count, appendConfig);
    onTestFinished(close);
    expect(await unkeyedReads(client)).toEqual([]);
    await client.query("analyze");
    expect(await unkeyedReads(client)).toEqual([]);
  });
});
