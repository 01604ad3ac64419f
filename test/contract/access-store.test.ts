import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { type Principal, system } from "../../src/model/principal.ts";
import type { ServiceAccount, ServiceAccountQuery } from "../../src/model/service-account.ts";
import { eachDatabase } from "../support/databases.ts";
import { create, isolated, openOn } from "./store-fixtures.ts";

function account(change: Partial<ServiceAccount> = {}): ServiceAccount {
  const id = randomUUID();
  return {
    ...{
      id,
      name: id,
      tokenHash: `hash of ${id}`,
      tokenPrefix: "agno_pat_1234567",
      scopes: ["agents:run", "a\u0000b"],
    },
    ...{ createdBy: null, createdAt: 1_000, expiresAt: null, lastUsedAt: null, revokedAt: null, claims: null },
    ...change,
  };
}

const all: ServiceAccountQuery = {
  includeRevoked: true,
  limit: 100,
  offset: 0,
  sortBy: "createdAt",
  descending: false,
};

eachDatabase("service accounts and session owners", (openDatabase) => {
  test("findByTokenHash returns an account as it was created, only for its exact token hash", async () => {
    const { accounts } = (await openOn(await openDatabase())).access;
    const claims = { sessionId: "s", dependencies: { tenant: ["a"] }, sessionState: { locale: "da\u0000" } };
    const made = account({ createdBy: "alice", expiresAt: 5_000_000_000_000, claims });
    expect(await accounts.create(system, made)).toBe("created");
    expect(await accounts.findByTokenHash(made.tokenHash)).toEqual(made);
    expect(await accounts.findByTokenHash(made.tokenHash.toUpperCase())).toBeUndefined();
    expect(await accounts.findByTokenHash(`${made.tokenHash}\u0000`)).toBeUndefined();
  });

  test("one of eight concurrent creates of a name succeeds, and the name is free again after the account is revoked", async () => {
    const { accounts } = (await openOn(await openDatabase())).access;
    const tries = Array.from({ length: 8 }, () => accounts.create(system, account({ name: "bot" })));
    expect((await Promise.all(tries)).sort()).toEqual(["created", ...Array(7).fill("exists")]);
    const [first] = (await accounts.list(system, all)).accounts;
    expect(await accounts.revoke(system, first?.id ?? "", 2_000)).toMatchObject({ revokedAt: 2_000 });
    expect(await accounts.revoke(system, first?.id ?? "", 3_000)).toMatchObject({ revokedAt: 2_000 });
    expect(await accounts.create(system, account({ name: "bot" }))).toBe("created");
    expect(await accounts.create(system, account({ name: "BOT" }))).toBe("created");
  });

  test("[J17] create returns exists for the name of another user's account, even a revoked one", async () => {
    const { accounts } = (await openOn(await openDatabase())).access;
    const as = async (caller: Principal, createdBy: string | null, name: string) =>
      await accounts.create(caller, account({ name, createdBy }));
    const [alice, bob] = [isolated("alice"), isolated("bob")];
    expect(await as(alice, "alice", "bot")).toBe("created");
    expect(await as(system, null, "root")).toBe("created");
    for (const { id } of (await accounts.list(system, all)).accounts) await accounts.revoke(system, id, 2_000);
    expect(await as(bob, "bob", "bot")).toBe("exists");
    expect(await as(bob, "bob", "root")).toBe("exists");
    expect(await as(alice, "alice", "bot")).toBe("created");
    expect(await as(system, null, "root")).toBe("created");
  });

  test("list sorts accounts by the requested column, treats an account without expiry as the latest, and respects limit and offset", async () => {
    const { accounts } = (await openOn(await openDatabase())).access;
    const times = [3, 1, null, 2];
    for (const [number, expiresAt] of times.entries()) {
      await accounts.create(system, account({ name: `n${number}`, createdAt: number, expiresAt }));
    }
    const names = async (query: Partial<ServiceAccountQuery>) =>
      (await accounts.list(system, { ...all, ...query })).accounts.map(({ name }) => name);
    expect(await names({})).toEqual(["n0", "n1", "n2", "n3"]);
    expect(await names({ descending: true, limit: 2, offset: 1 })).toEqual(["n2", "n1"]);
    expect(await names({ sortBy: "expiresAt" })).toEqual(["n1", "n3", "n0", "n2"]);
    expect(await names({ sortBy: "expiresAt", descending: true })).toEqual(["n0", "n3", "n1", "n2"]);
    const [one] = (await accounts.list(system, all)).accounts;
    await accounts.revoke(system, one?.id ?? "", 9);
    expect(await names({ includeRevoked: false, sortBy: "name" })).toEqual(["n1", "n2", "n3"]);
    expect((await accounts.list(system, { ...all, limit: 1, includeRevoked: false })).total).toBe(3);
  });

  test("under user isolation, list and revoke cover only the accounts that the caller created; admins see all, nameless callers get forbidden", async () => {
    const { accounts } = (await openOn(await openDatabase())).access;
    const made = account({ createdBy: "alice" });
    await accounts.create(system, made);
    await accounts.create(system, account());
    const seen = async (caller: Principal) => (await accounts.list(caller, all)).total;
    const admin = { ...isolated("root"), isAdmin: true };
    expect([await seen(isolated("alice")), await seen(isolated("bob")), await seen(admin)]).toEqual([1, 0, 2]);
    expect(await accounts.revoke(isolated("bob"), made.id, 1)).toBeUndefined();
    expect(await accounts.findByTokenHash(made.tokenHash)).toMatchObject({ revokedAt: null });
    expect(await accounts.revoke(admin, made.id, 1)).toMatchObject({ revokedAt: 1 });
    const nameless: Principal = { ...isolated("x"), owner: null, isNameless: true };
    await expect(accounts.list(nameless, all)).rejects.toMatchObject({ code: "forbidden" });
  });

  test("touch never moves lastUsedAt back", async () => {
    const { accounts } = (await openOn(await openDatabase())).access;
    const made = account();
    await accounts.create(system, made);
    for (const at of [50, 70, 60]) await accounts.touch(made.id, at);
    expect(await accounts.findByTokenHash(made.tokenHash)).toMatchObject({ lastUsedAt: 70 });
  });

  test("adoptSessions gives each session without owner to its user, unless that user already owns a session of the same id", async () => {
    const { store, access } = await openOn(await openDatabase());
    for (let number = 0; number < 1_100; number++) await create(store, { sessionId: `s${number}`, userId: "alice" });
    await create(store, { sessionId: "t", userId: "bob" });
    await create(store, { sessionId: "s0", userId: "bob", owner: "bob" });
    await create(store, { sessionId: "u", userId: null });
    await create(store, { sessionId: "v", userId: "alice" });
    await create(store, { sessionId: "v", userId: "alice", owner: "alice" });
    expect(await access.adoptSessions()).toBe(1_101);
    expect(await access.adoptSessions()).toBe(0);
    expect(await store.findSession(isolated("alice"), "s1099")).toMatchObject({ owner: "alice" });
    expect(await store.findSession(isolated("bob"), "t")).toMatchObject({ owner: "bob" });
    expect(await store.findSession(isolated("bob"), "s1")).toBeUndefined();
    expect(await store.findSession(system, "u")).toMatchObject({ owner: "" });
    expect(await store.findSession(system, "v")).toMatchObject({ owner: "" });
  });

  test("an admin reads all name spaces, its own first; every read by a nameless caller is rejected as forbidden", async () => {
    const { store } = await openOn(await openDatabase());
    const admin: Principal = { ...isolated("root"), isAdmin: true };
    const ids: Record<string, string> = {};
    for (const owner of ["alice", "root"]) {
      ids[owner] = randomUUID();
      await create(store, { sessionId: "s", owner, userId: owner, runId: ids[owner] });
    }
    expect(await store.findSession(admin, "s")).toMatchObject({ owner: "root" });
    expect(await store.findRun(admin, ids.alice ?? "")).toMatchObject({ userId: "alice" });
    const nameless: Principal = { ...isolated("x"), owner: null, isNameless: true };
    for (const read of [
      () => store.findRun(nameless, ids.alice ?? ""),
      () => store.findSession(nameless, "s"),
      () => store.listRuns(nameless, { kind: "agent", componentId: "agent-1" }),
      () => store.listSessions(nameless, { sortBy: "createdAt", descending: true, limit: 9, offset: 0, maxBytes: 0 }),
    ]) {
      await expect(read()).rejects.toMatchObject({ code: "forbidden" });
    }
  });
});
