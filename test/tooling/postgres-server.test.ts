import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { eachDatabase } from "../support/databases.ts";
import { startPostgres } from "../support/postgres-server.ts";

test("a private server keeps its data and its address after a stop and after a crash", async () => {
  const server = await startPostgres({ fsync: true });
  onTestFinished(() => server.dispose());
  await query(server.url, "CREATE TABLE kept (n int)");

  await server.stop();
  expect(server.pid).toBeUndefined();
  await expect(query(server.url, "SELECT 1")).rejects.toThrow("ECONNREFUSED");
  await server.restart();
  await query(server.url, "INSERT INTO kept VALUES (1)");

  await server.kill();
  await server.restart();
  expect(await query(server.url, "SELECT n FROM kept")).toEqual([{ n: 1 }]);
});

test("a server and its data are removed after the process that started it was killed", async () => {
  const support = new URL("../support/postgres-server.ts", import.meta.url).href;
  const program = `
    const { startPostgres } = await import(${JSON.stringify(support)});
    const server = await startPostgres();
    console.log(server.pid, server.url);
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [line] = await once(child.stdout.setEncoding("utf8"), "data");
  const [pid, url] = String(line).trim().split(" ");
  if (!pid || !url) throw new Error(`unexpected line: ${line}`);
  const [folder] = await query(url, "SHOW data_directory");
  const dataDirectory = String(folder?.data_directory);
  expect(existsSync(dataDirectory)).toBe(true);

  child.kill("SIGKILL");
  await expect.poll(() => isAlive(Number(pid))).toBe(false);
  await expect.poll(() => existsSync(dataDirectory)).toBe(false);
});

eachDatabase(
  "an empty test database",
  (openDatabase, kind) => {
    test("is a new one each time", async () => {
      const [one, two] = await Promise.all([openDatabase(), openDatabase()]);
      expect(one.kind).toBe(kind);
      expect(one).not.toEqual(two);
      if (one.kind === "sqlite") expect(existsSync(one.dataDir)).toBe(true);
      else
        expect(
          await query(one.url, "SELECT count(*)::int AS tables FROM pg_tables WHERE schemaname = 'public'"),
        ).toEqual([{ tables: 0 }]);
    });
  },
  "empty",
);

async function query(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  try {
    await client.connect();
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
