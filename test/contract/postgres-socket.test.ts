/** The socket of a Postgres connection, which pg does not document, and the fallbacks if it cannot be found. */
import { once } from "node:events";
import { Socket } from "node:net";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { appendConfig } from "../../src/store/postgres/client.ts";
import { destroyConnection, sendTogether } from "../../src/store/postgres/socket.ts";
import { openDatabaseOf } from "../support/databases.ts";

const missing =
  "pg no longer keeps its socket in client.connection.stream (written for pg 8.23). " +
  "src/store/postgres/socket.ts now uses its slower fallbacks: find the new place of the socket.";

/** Opens a connection on a socket of our own, which a documented option passes to pg. */
async function open(): Promise<{ client: pg.Client; socket: Socket }> {
  const database = await openDatabaseOf("postgres");
  const socket = new Socket();
  const client = new pg.Client({ ...appendConfig((database as { url: string }).url), stream: () => socket });
  client.on("error", () => {});
  onTestFinished(async () => {
    await client.end();
    await database[Symbol.asyncDispose]();
  });
  await client.connect();
  return { client, socket };
}

/** Returns a client that hides its socket, as a later version of pg may. */
const withoutSocket = (client: pg.Client): pg.Client =>
  new Proxy(client, {
    get(target, name) {
      if (name === "connection") return undefined;
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });

const sendTwo = (client: pg.Client): Promise<pg.QueryResult[]> =>
  Promise.all([client.query("select 1 as n"), client.query("select 2 as n")]);
const numbers = (results: readonly pg.QueryResult[]): unknown[] => results.map(({ rows }) => rows[0].n);

test("sendTogether sends its queries in one socket write", async () => {
  const { client, socket } = await open();
  let corked = 0;
  const results = sendTogether(client, () => {
    corked = socket.writableCorked;
    return sendTwo(client);
  });
  expect(corked, missing).toBe(1);
  expect(socket.writableCorked).toBe(0);
  expect(numbers(await results)).toEqual([1, 2]);
});

test("destroyConnection closes the socket at once, even while a query runs", async () => {
  const { client, socket } = await open();
  const query = client.query("select pg_sleep(60)");
  destroyConnection(client);
  expect(socket.destroyed, missing).toBe(true);
  await expect(query).rejects.toThrow(/terminated/);
});

test("sendTogether returns the results of its queries if pg hides its socket", async () => {
  const { client } = await open();
  const hidden = withoutSocket(client);
  expect(numbers(await sendTogether(hidden, () => sendTwo(hidden)))).toEqual([1, 2]);
});

test("destroyConnection closes the connection if pg hides its socket", async () => {
  const { client, socket } = await open();
  const closed = once(socket, "close");
  destroyConnection(withoutSocket(client));
  await closed;
  await expect(client.query("select 1")).rejects.toThrow();
});
