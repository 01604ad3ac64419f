/** The differences between the databases in the storage and search of documents. */
import { type RawBuilder, type SqlBool, sql } from "kysely";
import type { MetadataFilter } from "../../contract/knowledge.ts";
import type { Database } from "../../database.ts";

/** SQL fragments of one database. */
export interface KnowledgeSql {
  /** The stored form of an embedding. */
  vector(vector: Float32Array): RawBuilder<unknown>;
  /** The stored form of a chunk's terms. */
  terms(terms: readonly string[]): RawBuilder<unknown>;
  /** Whether a member of `c.metadata` matches. */
  matches(filter: MetadataFilter): RawBuilder<SqlBool>;
}

/** Whether words are indexed: with encryption keys, the database must not have them. */
export function hasTextIndex({ encryption }: Pick<Database, "encryption">): boolean {
  return encryption?.sealingId === undefined;
}

type Value = string | number | boolean | null;

const comparisons = { above: sql`>`, atLeast: sql`>=`, below: sql`<`, atMost: sql`<=` } as const;

/** Comparisons of a numeric expression, which is null for a member that is no number. */
function inRange(number: RawBuilder<unknown>, filter: MetadataFilter): RawBuilder<SqlBool> {
  const bounds = filter as Partial<Record<keyof typeof comparisons, number>>;
  const terms = (Object.keys(comparisons) as (keyof typeof comparisons)[]).flatMap((name) =>
    bounds[name] === undefined ? [] : [sql`${number} ${comparisons[name]} ${bounds[name]}`],
  );
  return sql<SqlBool>`(${sql.join(terms, sql` and `)})`;
}

function isOneOf(filter: MetadataFilter, equals: (value: Value) => RawBuilder<SqlBool>): RawBuilder<SqlBool> {
  if ("equals" in filter) return equals(filter.equals);
  const values = "in" in filter ? filter.in : [];
  return values.length === 0 ? sql<SqlBool>`1 = 0` : sql<SqlBool>`(${sql.join(values.map(equals), sql` or `)})`;
}

/** On SQLite. */
export const sqliteKnowledge: KnowledgeSql = {
  vector: (vector) => sql`${bytesOf(vector)}`,
  terms: (terms) => sql`${terms.join(" ")}`,
  matches(filter) {
    const path = `$.${JSON.stringify(filter.member)}`;
    const value = sql`json_extract(c.metadata, ${path})`;
    const type = sql`json_type(c.metadata, ${path})`;
    const equals = (wanted: Value): RawBuilder<SqlBool> => {
      if (wanted === null) return sql<SqlBool>`coalesce(${type}, 'null') = 'null'`;
      if (typeof wanted === "boolean") return sql<SqlBool>`${type} = ${wanted ? "true" : "false"}`;
      if (typeof wanted === "string") return sql<SqlBool>`(${type} = 'text' and ${value} = ${wanted})`;
      return sql<SqlBool>`(${type} in ('integer', 'real') and ${value} = ${wanted})`;
    };
    if ("equals" in filter || "in" in filter) return isOneOf(filter, equals);
    return inRange(sql`case when ${type} in ('integer', 'real') then ${value} end`, filter);
  },
};

/** On Postgres. */
export const postgresKnowledge: KnowledgeSql = {
  // A column of either type, `real[]` or `vector`, can be assigned from an array.
  vector: (vector) => sql`cast(${arrayOf(vector)} as real[])`,
  terms: (terms) => sql`cast(${tsvectorOf(terms)}::text as tsvector)`,
  matches(filter) {
    const value = sql`(c.metadata::jsonb -> ${filter.member}::text)`;
    const equals = (wanted: Value): RawBuilder<SqlBool> =>
      wanted === null
        ? sql<SqlBool>`coalesce(${value}, 'null'::jsonb) = 'null'::jsonb`
        : sql<SqlBool>`${value} = ${JSON.stringify(wanted)}::jsonb`;
    if ("equals" in filter || "in" in filter) return isOneOf(filter, equals);
    return inRange(sql`case when jsonb_typeof(${value}) = 'number' then ${value}::numeric end`, filter);
  },
};

/** The bytes of a vector as sqlite-vec reads them. */
export function bytesOf(vector: Float32Array): Buffer {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
}

/** Object id of the type `real`. */
const realType = 700;

/** The binary form of an array of `real`. Its text would take ten times as long. */
function arrayOf(vector: Float32Array): Buffer {
  const bytes = Buffer.alloc(20 + 8 * vector.length);
  // Dimensions, flag for nulls, type, length, index of the first element; then the length and the bytes of each element.
  for (const [place, value] of [1, 0, realType, vector.length, 1].entries()) bytes.writeInt32BE(value, 4 * place);
  for (const [place, value] of vector.entries()) {
    bytes.writeInt32BE(4, 20 + 8 * place);
    bytes.writeFloatBE(value, 24 + 8 * place);
  }
  return bytes;
}

/** The largest position, and the max number of positions of one term, that Postgres stores. */
const maxPosition = 16_383;
const maxPositions = 255;

/** The text form of a `tsvector`. Terms consist of letters and digits, so they need no escapes. */
function tsvectorOf(terms: readonly string[]): string {
  const positions = new Map<string, number[]>();
  terms.forEach((term, place) => {
    const known = positions.get(term) ?? [];
    if (known.length < maxPositions) known.push(Math.min(place + 1, maxPosition));
    positions.set(term, known);
  });
  return [...positions].map(([term, places]) => `'${term}':${[...new Set(places)].join(",")}`).join(" ");
}
