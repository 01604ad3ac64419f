/** The principal of a request, and the rules for each kind of principal. */
import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { reserveKey } from "../../src/engine/run/idempotency.ts";
import { storedCaller } from "../../src/engine/run/stored-options.ts";
import {
  hasCredential,
  inheritedUserId,
  mayClaimUser,
  open,
  operator,
  outsider,
  type Principal,
  type PrincipalKind,
  schedulerId,
  system,
} from "../../src/model/principal.ts";
import { defaultPlan, type StandingGrant } from "../../src/model/schedule/schedule.ts";
import { defaultSettings } from "../../src/model/settings.ts";
import { attributedUser } from "../../src/runs/callers.ts";
import { toSchedule, toScheduleRow } from "../../src/store/rows/schedules.ts";

import { testRuntime } from "../support/runtime.ts";
import { makePair } from "../support/tokens.ts";
import { accessOf } from "./support.ts";

const key = "a security key of the operator";
const modes = {
  none: () => accessOf(false),
  security_key: () => accessOf(undefined, { environment: { OS_SECURITY_KEY: key } }),
  jwt: () => accessOf({ verificationKeys: [makePair("RS256").pem] }),
};
const grantOf = (kind: PrincipalKind): StandingGrant => {
  return { kind, userId: null, scopes: [], mapping: 0, account: null };
};
const user: Principal = { kind: "user", userId: "alice", isAdmin: false, scopes: [], owner: null };

describe("a request without a token", () => {
  const request = { authorization: undefined, cookie: undefined, address: "192.0.2.1" };

  test("has the principal open while authorization is off, also on a route that requires no token", async () => {
    const access = modes.none();
    expect([await access.callerOf(request), access.outsider()]).toEqual([open, open]);
  });

  test.each(["security_key", "jwt"] as const)(
    "has the principal outsider on a route that requires no token, with authorization %s",
    (mode) => {
      expect(modes[mode]().outsider()).toEqual(outsider);
    },
  );
});

test("a request with the security key has the principal operator", async () => {
  expect(await modes.security_key().principalOf(key, "192.0.2.1")).toEqual(operator);
});

test("open, operator and system are admins, and an outsider is not", () => {
  expect([open, operator, system, outsider].map(({ isAdmin }) => isAdmin)).toEqual([true, true, true, false]);
});

test.each([
  ["open", open, { credential: false, claims: true, heir: "bob" }],
  ["operator", operator, { credential: true, claims: true, heir: "bob" }],
  ["system", system, { credential: false, claims: true, heir: "bob" }],
  ["outsider", outsider, { credential: false, claims: true, heir: null }],
  ["user", user, { credential: true, claims: false, heir: "alice" }],
] as const)(
  "%s: whether it has a credential, may claim a user id, and which user id its runs inherit",
  (_name, caller, { credential, claims, heir }) => {
    expect([hasCredential(caller), mayClaimUser(caller), inheritedUserId(caller, "bob")]).toEqual([
      credential,
      claims,
      heir,
    ]);
    expect(attributedUser(caller, "carol")).toBe(claims ? "carol" : undefined);
    if (claims) expect(() => attributedUser(caller, schedulerId)).toThrow("reserved principal");
  },
);

describe("a grant without a credential", () => {
  test.each([
    ["none", "open", "open"],
    ["none", "operator", "open"],
    ["none", "outsider", "open"],
    ["security_key", "open", "operator"],
    ["security_key", "operator", "operator"],
    ["security_key", "outsider", "forbidden"],
    ["jwt", "open", "forbidden"],
    ["jwt", "operator", "forbidden"],
    ["jwt", "outsider", "forbidden"],
  ] as const)("with authorization %s: the schedule of %s runs as %s", async (mode, kind, expected) => {
    const acting = modes[mode]().actingFor(grantOf(kind));
    if (expected === "forbidden") await expect(acting).rejects.toMatchObject({ code: "forbidden" });
    else expect(await acting).toEqual({ open, operator }[expected]);
  });
});

describe("rows that version 0.1 reads and writes", () => {
  const schedule = {
    ...defaultPlan,
    ...{ id: "i", name: "n", owner: "", cronExpr: "@daily", endpoint: "/health", enabled: true, disabledReason: null },
    ...{ nextRunAt: null, fires: 0, failures: 0, platform: null, createdAt: 1, updatedAt: null },
  };

  test.each([
    ["open", "anonymous", "open"],
    ["operator", "anonymous", "open"],
    ["outsider", "outsider", "outsider"],
    ["user", "user", "user"],
  ] as const)("a schedule's grant of %s is stored as %s and read as %s", (kind, stored, read) => {
    const row = toScheduleRow({ ...schedule, grant: grantOf(kind) });
    expect(row.standing_grant).toBe(`{"kind":"${stored}","userId":null,"scopes":[],"mapping":0,"account":null}`);
    expect(toSchedule(row).grant).toEqual(grantOf(read));
  });

  test("a run's stored caller `anonymous` is open if it was an admin, else an outsider", () => {
    expect(storedCaller({ ...open, kind: "anonymous" })).toEqual(open);
    expect(storedCaller({ ...outsider, kind: "anonymous", isNameless: true })).toEqual({
      ...outsider,
      isNameless: true,
    });
    expect(storedCaller(undefined)).toEqual(open);
    for (const caller of [open, operator, outsider, system, user]) expect(storedCaller(caller)).toEqual(caller);
  });

  test("an Idempotency-Key of open, operator and outsider has the digest of `anonymous`", async () => {
    const expected = createHash("sha256").update('["anonymous",null,null,"k"]').digest("base64url");
    const store = { reserveIdempotencyKey: async (asked: object) => asked };
    const parts = { store, runtime: testRuntime, settings: defaultSettings } as unknown as Parameters<
      typeof reserveKey
    >[0];
    for (const caller of [open, operator, outsider]) {
      const { digest } = await reserveKey(parts, caller, { key: "k", fingerprint: "f" }, "run-1");
      expect(digest).toBe(expected);
    }
  });
});
