/** Errors of the store while it reads service accounts. */
import { expect, test } from "vitest";
import { ServiceTokens } from "../../src/auth/service-tokens.ts";
import { TroupeError } from "../../src/errors.ts";
import { testRuntime } from "../support/runtime.ts";

test.each([
  [
    "an outage is rejected as unavailable",
    new TroupeError("unavailable", "the database is down"),
    { code: "unavailable", retryAfter: 5 },
  ],
  [
    "another database error is rejected unchanged",
    Object.assign(new Error("denied"), { code: "42501" }),
    { code: "42501" },
  ],
])("%s", async (_, error, thrown) => {
  const fails = () => Promise.reject(error);
  const tokens = new ServiceTokens({ findByTokenHash: fails, findActive: fails, touch: fails }, testRuntime);
  await expect(tokens.find("token")).rejects.toMatchObject(thrown);
  await expect(tokens.isAccountValid("sa:name", "id")).rejects.toMatchObject(thrown);
});
