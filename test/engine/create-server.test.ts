/** Errors of createServer for invalid options, for a server that cannot listen, and for a closed server. */
import { writeFileSync } from "node:fs";
import { createServer as createTcpServer } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ConfigurationError, createServer, definePlatform, type ServerOptions, TroupeError } from "../../src/index.ts";
import { createDataDir } from "../support/databases.ts";

const platform = definePlatform({ id: "p" });

const mistakes: [mistake: string, options: object, message: RegExp][] = [
  ["an unknown option", { prot: 3 }, /^createServer has no option "prot": did you mean "port"\?$/],
  ["a port beyond the last", { port: 99_999 }, /^Port "99999" is not a number from 0 to 65535\.$/],
  ["a port that is a text", { port: "80" }, /^Port "80" is not a number/],
  ["an unknown log level", { logLevel: "loud" }, /^Log level "loud" is unknown; there are debug, .*silent\.$/],
  ["an empty host", { host: "" }, /^createServer: host must be a text\.$/],
  ["a flag that is a text", { allowAnonymous: "yes" }, /^createServer: allowAnonymous must be true or false\.$/],
  ["a database that is a number", { database: 5432 }, /^createServer: database must be a connection string\.$/],
  [
    "an interface that is not a function",
    { interfaces: [{}] },
    /^createServer: interfaces must be a list of functions\.$/,
  ],
  ["a log that is a text", { log: "debug" }, /^createServer: log must be an object\.$/],
];

test.each(mistakes)("%s throws a ConfigurationError that names it", async (_, options, message) => {
  const made = createServer(platform, options as ServerOptions);
  await expect(made).rejects.toThrow(ConfigurationError);
  await expect(made).rejects.toThrow(message);
});

test.each([[{ id: "x" }], [undefined], ["app.ts"]])(
  "createServer rejects %j, which definePlatform did not return",
  async (value) => {
    const made = createServer(value as never);
    await expect(made).rejects.toThrow(ConfigurationError);
    await expect(made).rejects.toThrow("createServer takes what definePlatform makes.");
  },
);

test("a data folder that is a file throws a ConfigurationError that names it", async () => {
  const { path, remove } = await createDataDir();
  const dataDir = join(path, "file");
  writeFileSync(dataDir, "");
  const made = createServer(platform, { dataDir });
  await expect(made).rejects.toThrow(ConfigurationError);
  await expect(made).rejects.toThrow(`The data folder ${dataDir} is a file, not a folder.`);
  await remove();
});

test("a port in use throws a ConfigurationError that names it, and the server can be closed", async () => {
  const { path, remove } = await createDataDir();
  const other = createTcpServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => other.once("listening", resolve));
  const { port } = other.address() as { port: number };
  const server = await createServer(platform, { dataDir: path, port, logLevel: "silent" });
  const listening = server.listen();
  await expect(listening).rejects.toThrow(ConfigurationError);
  await expect(listening).rejects.toThrow(`127.0.0.1:${port} is in use`);
  await server.close();
  other.close();
  await remove();
});

test("inject and listen of a closed server throw a TroupeError", async () => {
  const { path, remove } = await createDataDir();
  const server = await createServer(platform, { dataDir: path, port: 0, logLevel: "silent" });
  await server.close();
  for (const late of [server.inject({ method: "GET", url: "/health" }), server.listen()]) {
    await expect(late).rejects.toThrow(TroupeError);
    await expect(late).rejects.toThrow("The server is closed.");
  }
  await remove();
});
