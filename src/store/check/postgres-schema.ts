/** Compares the indexes of a Postgres database with the indexes that the migrations create. */
import { migrations } from "../migrations/index.ts";
import type { Finding, ReadRows } from "./finding.ts";

interface ExpectedIndex {
  readonly table: string;
  readonly columns: string;
  readonly isUnique: boolean;
  readonly isPartial: boolean;
  /** The statement that creates it; undefined for a primary key. */
  readonly create: string | undefined;
}

interface IndexRow {
  readonly name: string;
  readonly table: string;
  readonly columns: string;
  readonly unique: boolean;
  readonly partial: boolean;
  readonly valid: boolean;
}

const indexStatement = /create (unique )?index (\w+) on (\w+) \(([^)]*)\)(?:\s+where ([^;]*))?;|drop index (\w+);/g;

/** The indexes after all migrations: the last statement about a name applies. */
function expectedIndexes(): ReadonlyMap<string, ExpectedIndex> {
  const expected = new Map<string, ExpectedIndex>();
  for (const { postgres } of migrations) {
    for (const [text, unique, name, table = "", columns = "", where, dropped] of postgres.matchAll(indexStatement)) {
      if (dropped !== undefined) expected.delete(dropped);
      if (name === undefined) continue;
      const shape = { table, columns: columns.replaceAll(/\s+/g, " "), isUnique: unique !== undefined };
      expected.set(name, { ...shape, isPartial: where !== undefined, create: text.replaceAll(/\s+/g, " ") });
    }
    for (const [, table = "", body = ""] of postgres.matchAll(/create (?:unlogged )?table (\w+) \(\n([\s\S]*?)\n\)/g)) {
      const columns = /^ *primary key \(([^)]*)\)/m.exec(body)?.[1] ?? /^ *(\w+) .*primary key/m.exec(body)?.[1] ?? "";
      expected.set(`${table}_pkey`, { table, columns, isUnique: true, isPartial: false, create: undefined });
    }
  }
  return expected;
}

/** Finds missing, invalid and changed indexes. */
export async function checkIndexes(read: ReadRows): Promise<readonly Finding[]> {
  const rows = await read<IndexRow>(
    `select c.relname as name, t.relname as table, i.indisunique as unique, i.indpred is not null as partial, i.indisvalid and i.indisready as valid,
       (select string_agg(a.attname, ', ' order by k.place) from unnest(i.indkey) with ordinality k (number, place)
         join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.number) as columns
     from pg_index i join pg_class c on c.oid = i.indexrelid join pg_class t on t.oid = i.indrelid
     where t.relnamespace = current_schema()::regnamespace`,
  );
  const found = new Map(rows.map((row) => [row.name, row]));
  const findings: Finding[] = [];
  for (const [name, { table, columns, isUnique, isPartial, create }] of expectedIndexes()) {
    const row = found.get(name);
    const again = create ?? `alter table ${table} add primary key (${columns});`;
    if (row === undefined) {
      findings.push({ problem: `the index ${name} of ${table} is missing`, remedy: `Create it: ${again}` });
    } else if (!row.valid) {
      const problem = `the index ${name} of ${table} is invalid, and no statement uses it`;
      findings.push({ problem, remedy: `Build it again: reindex index concurrently ${name};` });
    } else if (row.table !== table || row.columns !== columns || row.unique !== isUnique || row.partial !== isPartial) {
      const problem = `the index ${name} is not that of the migrations: it has ${row.table} (${row.columns})`;
      findings.push({ problem, remedy: `Drop it, and create it: ${again}` });
    }
  }
  return findings;
}
