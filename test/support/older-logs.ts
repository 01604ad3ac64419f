/** Logs as version 0.1.0 stored them: `id` is the first field of a frame, and its data contains raw Unicode line separators. */
import { join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import Database from "better-sqlite3";
import pg from "pg";
import type { TestDatabase } from "./databases.ts";

/** Converts current frames to the form of 0.1.0. */
export function toOlder(frames: Buffer): Buffer {
  const text = frames
    .toString()
    .replace(/(event: [^\n]*\ndata: [^\n]*)\n(id: \d+)\n\n/g, "$2\n$1\n\n")
    .replace(/\\u(0085|2028|2029)/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  return Buffer.from(text);
}

interface Row {
  readonly run_key: number;
  readonly last_index: number;
  readonly encoding: number;
  readonly frames: Buffer;
}

const read = "select run_key, last_index, encoding, frames from segments";

function* olderRows(rows: readonly Row[]): Generator<[Buffer, number, number, number]> {
  for (const { run_key, last_index, encoding, frames } of rows) {
    const older = toOlder(encoding === 0 ? frames : zstdDecompressSync(frames));
    yield [older, older.length, run_key, last_index];
  }
}

/** Converts every stored log of a database that no server has open. */
export async function makeOlder(database: TestDatabase): Promise<void> {
  if (database.kind === "sqlite") {
    const connection = new Database(join(database.dataDir, "troupe.sqlite"));
    const update = connection.prepare(
      "update segments set frames = ?, size = ?, encoding = 0 where run_key = ? and last_index = ?",
    );
    for (const values of olderRows(connection.prepare(read).all() as Row[])) update.run(values);
    connection.close();
    return;
  }
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const update = "update segments set frames = $1, size = $2, encoding = 0 where run_key = $3 and last_index = $4";
  for (const values of olderRows((await client.query<Row>(read)).rows)) await client.query(update, values);
  await client.end();
}
