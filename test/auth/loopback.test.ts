/** Loopback hosts: the server may listen on them without authorization, and read keys from them over plain HTTP. */
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

test.each(own)("%s is a loopback host: authorization may be off", (host) => {
  expect(isLoopback(host)).toBe(true);
  expect(() => checkHost(host, undefined, "none")).not.toThrow();
});

test.each(foreign)("%j is not a loopback host: authorization must be on", (host) => {
  expect(isLoopback(host)).toBe(false);
  expect(() => checkHost(host, undefined, "none")).toThrow("on loopback only");
});

test.each(["127.0.0.1", "127.9.9.9", "localhost", "[::1]:8080", "127.1"])("keys may be read from http://%s", (host) => {
  expect(faultOfAddress(`http://${host}/keys`, {})).toBeUndefined();
});

test.each(["10.0.0.1", "[::2]", "keys.localhost", "localhost.example"])(
  "reading keys from http://%s is rejected",
  (host) => {
    expect(faultOfAddress(`http://${host}/keys`, {})).toContain("is plain HTTP");
  },
);
