import dns from "node:dns";
import { once } from "node:events";
import { connect } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { defineAgent, definePlatform } from "../../src/index.ts";
import { openServer } from "../../src/platform/server.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { createDataDir } from "../support/databases.ts";
import { silentLog } from "../support/runtime.ts";

type Lookup = (name: string, options: object, callback: (error: null, addresses: unknown) => void) => void;

/** Lets `localhost` have both of its addresses, also on a machine that knows only one. */
function giveBothAddresses(): void {
  const lookup = dns.lookup as unknown as Lookup;
  const both: Lookup = (name, options, callback) => {
    if (name !== "localhost" || !("all" in options && options.all)) return lookup(name, options, callback);
    const addresses = ["127.0.0.1", "::1"].map((address) => ({ address, family: address === "::1" ? 6 : 4 }));
    setImmediate(callback, null, addresses);
  };
  const spy = vi.spyOn(dns, "lookup").mockImplementation(both as never);
  onTestFinished(() => spy.mockRestore());
}

test("a server that shares the port of localhost accepts no connection on any address after it retires", async () => {
  giveBothAddresses();
  const { path: dataDir, remove } = await createDataDir();
  onTestFinished(remove);
  const platform = definePlatform({
    id: "p",
    agents: [defineAgent({ id: "a", model: scriptedModel(() => "Hello.") })],
    settings: { drainDuration: 1_000 },
  });
  const options = { dataDir, host: "localhost", port: 0, log: silentLog };
  const server = await openServer(platform, options, { measures: false, onChecked: () => undefined });
  const { port } = new URL(await server.listen());
  const isServed = (host: string): Promise<boolean> =>
    fetch(`http://${host}:${port}/health`, { headers: { connection: "close" } }).then(
      ({ ok }) => ok,
      () => false,
    );
  const hosts = ["127.0.0.1", "[::1]"];
  expect(await Promise.all(hosts.map(isServed))).toContain(true);
  // An open connection keeps a retiring server open.
  const connection = connect(Number(port), "127.0.0.1");
  await once(connection, "connect");
  const retiring = server.retire(1_000);
  expect(await Promise.all(hosts.map(isServed))).toEqual([false, false]);
  connection.destroy();
  await retiring;
});
