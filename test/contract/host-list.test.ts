import { expect, test } from "vitest";
import { checkConnectionString } from "../../src/store/postgres/client.ts";
import { parseHosts } from "../../src/store/postgres/host-list.ts";
import { Hosts } from "../../src/store/postgres/hosts.ts";

test.each([
  ["postgres://u:p@h1:5432/db", ["postgres://u:p@h1:5432/db"], "any"],
  ["postgres://h1/db?sslmode=require", ["postgres://h1/db?sslmode=require"], "any"],
  ["postgres://u:p@h1/db?target_session_attrs=primary", ["postgres://u:p@h1/db"], "primary"],
  ["postgres://u:p,w@h1/db", ["postgres://u:p,w@h1/db"], "any"],
  ["postgres://u:p@h1:1,[::1]:2/db", ["postgres://u:p@h1:1/db", "postgres://u:p@[::1]:2/db"], "read-write"],
  [
    "postgresql://h1,h2,h3/db?a=b&target_session_attrs=any&c=d",
    ["postgresql://h1/db?a=b&c=d", "postgresql://h2/db?a=b&c=d", "postgresql://h3/db?a=b&c=d"],
    "any",
  ],
  ["postgres://u:p%2F%40@h1/d%40b?a=b@c", ["postgres://u:p%2F%40@h1/d%40b?a=b@c"], "any"],
  ["socket:/var/run/pg?db=x", ["socket:/var/run/pg?db=x"], "any"],
])("%s is split into its hosts", (url, urls, target) => {
  expect(parseHosts(url)).toEqual({ urls, target });
  expect(() => checkConnectionString(url)).not.toThrow();
});

test.each([
  ["postgres://u:secret@h1,,h2/db", /the list of hosts .* has an empty entry/],
  ["postgres://u:secret@h1,/db", /the list of hosts .* has an empty entry/],
  ["postgres://u:secret@h1:1,h2:port/db", /cannot be read as one/],
  ["postgres://u:secret@h1,h2/db?target_session_attrs=standby", /must be one of any, read-write, primary/],
  ["postgres://u:secret@h1,h2/db?target_session_attrs=", /must be one of any, read-write, primary/],
  ["postgres://u:1,n/secret@h1/db", /cannot be read as one: .* write %23 for #, %2F for \//],
  ["postgres://u:1#secret@h1/db", /cannot be read as one/],
  ["postgres://u:1/secret@h1,h2/db?a=b", /cannot be read as one/],
  ["postgres://u:secret@/db?host=h1,h2", /several hosts belong before the database's name/],
])("%s is rejected with the reason and without its password", (url, reason) => {
  expect(() => checkConnectionString(url)).toThrow(reason);
  expect(() => checkConnectionString(url)).not.toThrow(/secret/);
});

test("the label names every host with its port until one is in use", () => {
  expect(new Hosts("postgres://u:p@h1,h2:1/db").label).toBe("Postgres db at h1:5432, h2:1");
  expect(new Hosts("postgres://u:p@h1/db").label).toBe("Postgres db at h1:5432");
});
