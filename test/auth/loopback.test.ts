/** Hosts that only this machine can reach: to listen on, and to read keys from over plain HTTP. */
import { expect, test } from "vitest";
import { faultOfAddress } from "../../src/auth/remote-key-set.ts";
import { isLoopback } from "../../src/model/loopback.ts";
import { checkHost } from "../../src/platform/options.ts";

const own = ["127.0.0.1", "127.1.2.3", "localhost", "LOCALHOST", "::1", "0:0:0:0:0:0:0:1"];
const foreign = [
  "0.0.0.0",
  "::",
  "10.0.0.1",
  "128.0.0.1",
  "::2",
  "troupe.localhost",
  "127.0.0.1.example",
  "127.1",
  "[::1]",
  "",
];

test.each(own)("only this machine reaches %s", (host) => {
  expect(isLoopback(host)).toBe(true);
  expect(() => checkHost(host, undefined, "none")).not.toThrow();
});

test.each(foreign)("others may reach %j", (host) => {
  expect(isLoopback(host)).toBe(false);
  expect(() => checkHost(host, undefined, "none")).toThrow("on loopback only");
});

test.each(["127.0.0.1", "127.9.9.9", "localhost", "[::1]:8080", "127.1"])("keys are read from http://%s", (host) => {
  expect(faultOfAddress(`http://${host}/keys`, {})).toBeUndefined();
});

test.each(["10.0.0.1", "[::2]", "keys.localhost", "localhost.example"])("keys are not read from http://%s", (host) => {
  expect(faultOfAddress(`http://${host}/keys`, {})).toContain("is plain HTTP");
});
