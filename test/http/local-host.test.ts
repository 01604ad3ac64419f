import { expect, onTestFinished, test } from "vitest";
import { hostRefusal } from "../../src/http/transport/local-host.ts";
import { createServer, defineAgent, definePlatform } from "../../src/index.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { eachDatabase } from "../support/databases.ts";

const own = [
  "127.0.0.1:7777",
  "127.1.2.3",
  "localhost",
  "LOCALHOST:7777",
  "troupe.localhost:1",
  "[::1]:7777",
  "localhost.:7777",
  "127.0.0.1.",
  undefined,
];
const foreign = [
  "evil.example",
  "127.0.0.1.evil.example",
  "localhost.evil.example:7777",
  "10.0.0.1",
  "[::2]",
  "",
  "::1",
  "[localhost]",
  "[127.0.0.1]",
  "evil@127.0.0.1",
  "127.0.0.1:7777.evil.example",
  ".localhost.evil.example",
];

test.each(own)("the host %s is accepted by a server for the local machine", (host) => {
  expect(hostRefusal(host)).toBeUndefined();
});

test.each(foreign)("the host %j is rejected by a server for the local machine", (host) => {
  expect(hostRefusal(host)).toMatchObject({ code: "forbidden", message: expect.stringContaining("--allow-anonymous") });
});

eachDatabase("a request with a foreign host", (openDatabase) => {
  const platform = definePlatform({ id: "p", agents: [defineAgent({ id: "a", model: scriptedModel(["Hello."]) })] });

  test.each([
    [false, 403],
    [true, 200],
  ])("with allowAnonymous %s gets %i", async (allowAnonymous, status) => {
    const database = await openDatabase();
    const place = database.kind === "sqlite" ? { dataDir: database.dataDir } : { database: database.url };
    const server = await createServer(platform, { ...place, allowAnonymous, logLevel: "silent" });
    onTestFinished(() => server.close());
    const headers = { host: "evil.example" };
    expect((await server.inject({ method: "GET", url: "/agents", headers })).statusCode).toBe(status);
  });
});
