/** Postgres values as the store reads them: integers as numbers, bytes as Buffers, everything else as text. */
import type { CustomTypesConfig } from "pg";
import { InvariantError } from "../../errors.ts";

const boolean = 16;
const bytes = 17;
const integers = new Set([20, 21, 23, 26]);

// Results come as text: pg 8.23 decodes binary results as UTF-8 before a parser sees them, which corrupts bytes.
const parsers = new Map<number, (text: string) => unknown>([
  [boolean, (text) => text === "t"],
  [bytes, (text) => Buffer.from(text.slice(2), "hex")],
  ...[...integers].map((oid) => [oid, toInteger] as const),
]);

/** The parsers, for the configuration of a client. */
export const postgresTypes: CustomTypesConfig = {
  getTypeParser: (oid: number) => (parsers.get(oid) ?? String) as never,
};

function toInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new InvariantError(`the integer ${text} of the database is out of range`);
  return value;
}
