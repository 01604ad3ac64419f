/** A query uses a partial index only if its condition contains the index's predicate exactly as the migrations state it. */
import { expect, test } from "vitest";
import { migrations } from "../../src/store/migrations/index.ts";
import { indexPredicates, type PartialIndex, predicateOf } from "../../src/store/rows/index-predicates.ts";

/** Returns the predicates of the partial indexes that the migrations create on one database, by index name. */
function createdPredicates(database: "sqlite" | "postgres"): ReadonlyMap<string, string> {
  const predicates = new Map<string, string>();
  for (const migration of migrations) {
    for (const [, name = "", predicate = ""] of migration[database].matchAll(
      /create (?:unique )?index (\w+) on \w+ \([^;]*?\)\s+where\s+([^;]+);/g,
    )) {
      predicates.set(name, predicate.replaceAll(/\s+/g, " ").trim());
    }
  }
  return predicates;
}

test.each(["sqlite", "postgres"] as const)(
  "the predicates that queries use equal those of the indexes on %s",
  (database) => {
    const created = createdPredicates(database);
    for (const index of Object.keys(indexPredicates) as PartialIndex[]) {
      expect([index, predicateOf(index)]).toEqual([index, created.get(index)]);
    }
  },
);

test("predicateOf puts the alias before every column", () => {
  expect(predicateOf("heads_queued", "h")).toBe(
    "h.status = 'PENDING' and h.background = 1 and h.session_seq is not null",
  );
});
