/** Runs that wait for an account of their user, and the flow that connects it. */
import { expect, test } from "vitest";
import { eachDatabase } from "../support/databases.ts";
import { querySql } from "../support/execute-sql.ts";
import { openServer } from "../support/open-server.ts";
import { openAccounts } from "./support/accounts.ts";
import {
  type Any,
  answer,
  browserOf,
  callback,
  linkOf,
  officeFor,
  publicUrl,
  record,
  remove,
  requestLink,
  run,
} from "./support/office.ts";

eachDatabase("connected accounts", (openDatabase) => {
  test("a run pauses with a link, and goes on by itself when its user has connected the account", async () => {
    await using accounts = await openAccounts(callback);
    const tokens: string[] = [];
    const database = await openDatabase();
    await using server = await openServer(database, officeFor(accounts, tokens));
    const paused = await run(server, "ada");
    const link = linkOf(paused);
    expect(paused).toMatchObject({
      status: "PAUSED",
      content: `look needs your Hub account. Connect it: ${link}`,
      requirements: [{ connection: { provider: "hub", scopes: ["openid", "repo"] } }],
      tools: [{ tool_name: "look", requires_confirmation: true, confirmation_note: expect.stringContaining(link) }],
    });
    expect(link).toMatch(
      new RegExp(`^${publicUrl}/connections/hub/authorize\\?run_id=${paused.run_id}&requirement_id=`),
    );
    const done = await browserOf(server).connect(link, "ada at hub");
    expect(done).toMatchObject({
      status: 200,
      text: expect.stringContaining("Your Hub account is connected for <b>ada</b>"),
    });
    await expect.poll(async () => (await record(server, paused)).status).toBe("COMPLETED");
    const ended = await record(server, paused);
    expect(ended.content).toBe("result: account of ada at hub");
    // The next run needs no link; another user's run does.
    expect(await run(server, "ada")).toMatchObject({ status: "COMPLETED", content: "result: account of ada at hub" });
    expect(await run(server, "bob")).toMatchObject({ status: "PAUSED" });
    // The token is in no record, no event and no clear column.
    const [token = ""] = tokens;
    expect(token.length).toBeGreaterThan(20);
    const events = await server.client.get(`/agents/clerk/runs/${paused.run_id}/events?session_id=session%20of%20ada`);
    for (const text of [JSON.stringify(ended), JSON.stringify(events.body)]) expect(text).not.toContain(token);
    const rows: readonly Any[] = await querySql(database, "select user_id, provider, tokens from connections");
    expect(rows).toMatchObject([{ user_id: "ada", provider: "hub", tokens: expect.stringMatching(/^~e1\./) }]);
  });

  test("a run that another process continues has the account, too", async () => {
    await using accounts = await openAccounts(callback);
    const database = await openDatabase();
    const first = await openServer(database, officeFor(accounts));
    const paused = await run(first, "ada");
    await first.end(0);
    await using second = await openServer(database, officeFor(accounts));
    await browserOf(second).connect(linkOf(paused), "ada");
    await expect.poll(async () => (await record(second, paused)).status).toBe("COMPLETED");
  });

  test("several calls of one run wait for one account", async () => {
    await using accounts = await openAccounts(callback);
    await using server = await openServer(await openDatabase(), officeFor(accounts));
    const paused = await run(server, "ada", "2");
    expect(paused.requirements).toHaveLength(2);
    await browserOf(server).connect(linkOf(paused), "ada");
    await expect
      .poll(async () => (await record(server, paused)).content)
      .toBe("result: account of ada, account of ada");
  });

  test("a confirmation without an account pauses again; a rejection is the result for the model", async () => {
    await using accounts = await openAccounts(callback);
    await using server = await openServer(await openDatabase(), officeFor(accounts));
    const paused = await run(server, "ada");
    const again = await answer(server, paused, true);
    expect(again.status).toBe("PAUSED");
    expect(linkOf(again)).not.toBe(linkOf(paused));
    const ended = await answer(server, again, false);
    expect(ended).toMatchObject({ status: "COMPLETED", content: "result: Function call was rejected by the user" });
    // The links of a run are valid only while it waits.
    expect((await browserOf(server).open(linkOf(again))).status).toBe(404);
  });

  test("an account that the user refuses leaves the run paused, and its link valid", async () => {
    await using accounts = await openAccounts(callback);
    await using server = await openServer(await openDatabase(), officeFor(accounts));
    const paused = await run(server, "ada");
    const browser = browserOf(server);
    const state = new URL(await browser.begin(linkOf(paused))).searchParams.get("state");
    const issuer = encodeURIComponent(accounts.issuer);
    const refused = await browser.open(`${callback}?error=access_denied&state=${state}&iss=${issuer}`);
    expect(refused).toMatchObject({
      status: 400,
      text: expect.stringContaining("The account was not connected: access_denied."),
    });
    expect((await record(server, paused)).status).toBe("PAUSED");
    expect((await browser.connect(linkOf(paused), "ada")).status).toBe(200);
  });

  test("GET /connections lists the caller's accounts; DELETE removes one and revokes its token", async () => {
    await using accounts = await openAccounts(callback);
    const tokens: string[] = [];
    await using server = await openServer(await openDatabase(), officeFor(accounts, tokens));
    const link = await requestLink(server, "ada", ["repo"]);
    await browserOf(server).connect(link, "ada");
    expect((await server.client.get("/connections?user_id=ada")).body).toEqual([
      { provider: "hub", title: "Hub", connected: true, scopes: ["openid", "repo"], connected_at: expect.any(Number) },
    ]);
    expect((await server.client.get("/connections?user_id=bob")).body).toMatchObject([
      { connected: false, connected_at: null },
    ]);
    expect((await run(server, "ada")).content).toBe("result: account of ada");
    expect((await remove(server, "/connections/hub?user_id=ada")).status).toBe(204);
    expect(accounts.counts.revocations).toBeGreaterThan(0);
    await expect.poll(() => accounts.accountOf(tokens[0] as string)).toBeUndefined();
    expect((await remove(server, "/connections/hub?user_id=ada")).status).toBe(404);
    expect((await run(server, "ada")).status).toBe("PAUSED");
  });

  test("an account without the scope of a tool is connected again, with all scopes", async () => {
    await using accounts = await openAccounts(callback);
    await using server = await openServer(await openDatabase(), officeFor(accounts));
    const link = await requestLink(server, "ada", ["gist"]);
    await browserOf(server).connect(link, "ada");
    const paused = await run(server, "ada");
    expect(paused.status).toBe("PAUSED");
    await browserOf(server).connect(linkOf(paused), "ada");
    await expect.poll(async () => (await record(server, paused)).status).toBe("COMPLETED");
  });

  test("the removal of a user's data removes the user's accounts", async () => {
    await using accounts = await openAccounts(callback);
    const database = await openDatabase();
    await using server = await openServer(database, officeFor(accounts));
    for (const user of ["ada", "bob"]) {
      const link = await requestLink(server, user, ["repo"]);
      await browserOf(server).connect(link, user);
    }
    const { body } = await remove(server, "/users/ada/data");
    expect(body).toMatchObject({ complete: true, removed: { connections: 1 } });
    expect(await querySql(database, "select user_id from connections")).toEqual([{ user_id: "bob" }]);
  });
});
