import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { definePlatform } from "../../src/index.ts";
import type { AuthorizationOptions } from "../../src/model/authorization.ts";
import { createDataDir, eachDatabase, type TestDatabase } from "../support/databases.ts";
import { moveClock } from "../support/move-clock.ts";
import { bearer, makePair, token } from "../support/tokens.ts";
import type { Client, EventStream } from "./support/client.ts";
import { conformancePlatform } from "./support/platform.ts";
import { startServer } from "./support/server.ts";

const pair = makePair();
const scopes = ["agents:run", "agents:read", "service_accounts:write", "service_accounts:delete"];
const runs = "/agents/plain-agent/runs";
const lasting = bearer(token({ sub: "alice", scopes }, pair));

async function serve(database: TestDatabase, authorization: AuthorizationOptions = {}): Promise<Client> {
  const { agents } = conformancePlatform();
  const hosted = definePlatform({
    ...{ id: "test-os", agents, settings: { credentialCheckInterval: 20 } },
    authorization: { verificationKeys: [pair.pem], leewaySeconds: 0, ...authorization },
  });
  const { server, client } = await startServer(database, hosted);
  onTestFinished(() => server.close({ shutdownTimeout: 0 }));
  return client;
}

const isTerminal = ({ event }: { event: string | undefined }) => /^Run(Completed|Cancelled|Error)$/.test(event ?? "");

/** The last cursor that an interrupted stream named. */
function cursorIn({ text }: EventStream): string | undefined {
  return /: interrupted, resume with last_event_index=(\d+)\n\n$/.exec(text)?.[1];
}

describe("a stream whose token becomes invalid", () => {
  test("ends with its cursor at the token's expiry, and the run and streams of valid tokens continue", async () => {
    const folder = await createDataDir();
    onTestFinished(folder.remove);
    const client = await serve({ kind: "sqlite", dataDir: folder.path });
    const short = bearer(token({ sub: "alice", scopes, exp: Date.now() / 1000 + 60 }, pair));
    const stream = await client.stream(runs, { message: "endless please", session_id: "s" }, short);
    const resume = `${runs}/${stream.runId}/resume`;
    const other = await client.stream(resume, { session_id: "s" }, lasting);
    await stream.untilEvents(1);
    moveClock(61_000);
    await stream.all();
    expect(stream.frames.filter(isTerminal)).toEqual([]);
    const cursor = cursorIn(stream) ?? "";
    expect(cursor).toBe(stream.events.at(-1)?.id);
    const refused = await client.post(resume, { session_id: "s", last_event_index: cursor }, short);
    expect([refused.status, refused.json.detail]).toEqual([401, "Token has expired"]);

    const fresh = await client.stream(resume, { session_id: "s", last_event_index: cursor }, lasting);
    expect((await fresh.untilEvents(20))[0]?.id).toBe(String(Number(cursor) + 1));
    await client.post(`${runs}/${stream.runId}/cancel`, {}, lasting);
    await Promise.all([fresh.all(), other.all()]);
    expect([fresh.frames.at(-1)?.event, other.frames.at(-1)?.event]).toEqual(["RunCancelled", "RunCancelled"]);
    expect(other.events.map(({ id }) => id)).toEqual(other.events.map((_, place) => String(place)));
  });

  test("ends with its cursor when the token's key is removed from its file", async () => {
    const folder = await createDataDir();
    onTestFinished(folder.remove);
    const [old, next] = [makePair(), makePair()];
    const jwksFile = join(folder.path, "keys.json");
    writeFileSync(jwksFile, JSON.stringify({ keys: [old.jwk, next.jwk] }));
    const client = await serve({ kind: "sqlite", dataDir: folder.path }, { jwksFile });
    const before = await client.stream(runs, { message: "endless please" }, bearer(token({ sub: "a", scopes }, old)));
    await before.untilEvents(3);
    writeFileSync(jwksFile, JSON.stringify({ keys: [next.jwk] }));
    await before.all();
    expect(before.frames.filter(isTerminal)).toEqual([]);
    expect(cursorIn(before)).toBe(before.events.at(-1)?.id);
  });
});

eachDatabase("a stream whose service account is revoked", (openDatabase) => {
  test("ends with its cursor, and the stream of another account continues", async () => {
    const client = await serve(await openDatabase());
    const mint = async (name: string) => {
      const headers = { ...lasting, "content-type": "application/json" };
      const body = JSON.stringify({ name, scopes: [{ scope: "agents:run" }] });
      return (await client.send("/service-accounts", { method: "POST", headers, body })).json;
    };
    const [bot, other] = [await mint("bot"), await mint("other")];
    const [stream, kept] = [bot, other].map((account) =>
      client.stream(runs, { message: "endless please", session_id: "s" }, bearer(account.token)),
    );
    const [lost, good] = [await stream, await kept] as [EventStream, EventStream];
    await lost.untilEvents(3);
    const headers = lasting;
    await client.send(`/service-accounts/${bot.id}`, { method: "DELETE", headers });
    await lost.all();
    expect(lost.frames.filter(isTerminal)).toEqual([]);
    expect(cursorIn(lost)).toBe(lost.events.at(-1)?.id);
    await good.untilEvents(good.events.length + 20);
    await client.post(`${runs}/${good.runId}/cancel?session_id=s`, {}, bearer(other.token));
    expect((await good.all()).at(-1)?.event).toBe("RunCancelled");
  });
});
