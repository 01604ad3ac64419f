import { expect, test } from "vitest";
import { definePlatform } from "../../src/define/platform.ts";

const issuer = "https://sso.example";
const define = (console: unknown) => () => definePlatform({ id: "p", console: console as boolean });

test.each([
  [undefined, {}],
  [true, {}],
  [false, false],
  [{ oidc: { issuer, clientId: "c" } }, { oidc: { issuer, clientId: "c" } }],
  [
    { oidc: { issuer: "http://127.0.0.1:9000", clientId: "c" } },
    { oidc: { issuer: "http://127.0.0.1:9000", clientId: "c" } },
  ],
])("console: %j is accepted", (given, expected) => {
  expect(define(given)().console).toEqual(expected);
});

test.each([
  ["yes", "console must be true, false or an object"],
  [{ odic: {} }, 'did you mean "oidc"?'],
  [{ oidc: "sso" }, "oidc must be an object with issuer and clientId"],
  [{ oidc: { clientId: "c" } }, "issuer must be an address that begins with https://"],
  [{ oidc: { issuer: "http://sso.example", clientId: "c" } }, "issuer must be an address that begins with https://"],
  [{ oidc: { issuer: "https://name:secret@sso.example", clientId: "c" } }, "issuer must not contain credentials"],
  [{ oidc: { issuer: "https://sso.example;script-src", clientId: "c" } }, "issuer must be an address"],
  [{ oidc: { issuer: "https://*,sso.example", clientId: "c" } }, "issuer must be an address"],
  [{ oidc: { issuer, clientId: "c", origins: ["https://sso.example;x"] } }, "origins must be a list of origins"],
  [{ oidc: { issuer } }, "clientId must be a text"],
  [{ oidc: { issuer, clientId: "c", scopes: "openid" } }, "scopes must be a list of texts"],
  [{ oidc: { issuer, clientId: "c", token: "refresh_token" } }, "token must be one of"],
  [{ oidc: { issuer, clientId: "c", origins: ["https://sso.example/path"] } }, "origins must be a list of origins"],
  [{ oidc: { issuer, clientId: "c", parameters: { a: 1 } } }, "parameters must be an object of texts"],
])("console: %j is rejected: %s", (given, message) => {
  expect(define(given)).toThrow(message);
});
