/** The caller of a web socket connection: the caller may change, and the connection ends with the caller's rights. */
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { definePlatform, defineWorkflow, step } from "../../src/index.ts";
import type { AuthorizationOptions } from "../../src/model/authorization.ts";
import type { Settings } from "../../src/model/settings.ts";
import type { Server } from "../../src/platform/server.ts";
import { eachDatabase, type TestDatabase } from "../support/databases.ts";
import { eventually } from "../support/eventually.ts";
import { Gate } from "../support/gate.ts";
import { SocketClient, type Told } from "../support/socket-client.ts";
import { bearer, makePair, token } from "../support/tokens.ts";
import type { Client } from "./support/client.ts";
import { conformancePlatform } from "./support/platform.ts";
import { startServer } from "./support/server.ts";

const pair = makePair();
const authorization = { verificationKeys: [pair.pem], userIsolation: true };
const scopes = ["workflows:run"];
const alice = { sub: "alice", scopes };

const named = (name: string) => (messages: Told[]) => messages.filter(({ event }) => event === name);

async function connectTo(client: Client, claims?: Record<string, unknown>): Promise<SocketClient> {
  const socket = await SocketClient.open(client.base);
  await socket.event("connected");
  if (claims) socket.send({ action: "authenticate", token: token(claims, pair) });
  if (claims) await socket.event("authenticated");
  return socket;
}

eachDatabase("[J11] the caller of a web socket", (openDatabase) => {
  let running: { server: Server; client: Client };
  const open: SocketClient[] = [];
  const connect = async (claims?: Record<string, unknown>): Promise<SocketClient> => {
    const socket = await connectTo(running.client, claims);
    open.push(socket);
    return socket;
  };
  /** Authenticates again; returns the number of messages at that time. */
  const authenticate = async (socket: SocketClient, claims: Record<string, unknown>): Promise<number> => {
    const before = named("authenticated")(socket.messages).length;
    socket.send({ action: "authenticate", token: token({ ...claims, jti: "again" }, pair) });
    await socket.until((messages) => named("authenticated")(messages).length === before + 2);
    return socket.messages.length;
  };
  const endless = { message: "endless", session_id: "own" };
  const runs = "/workflows/simple-flow/runs";
  beforeAll(async () => {
    running = await startServer(await openDatabase(), { ...conformancePlatform(), authorization });
  });
  afterEach(() => {
    for (const socket of open.splice(0)) socket.close();
  });
  afterAll(() => running?.server.close({ shutdownTimeout: 0 }));

  test("no longer follows another user's run after losing the admin scope", async () => {
    const { client } = running;
    const bob = bearer(token({ sub: "bob", scopes }, pair));
    const stream = await client.stream(runs, endless, bob);
    const socket = await connect({ sub: "ann", scopes: ["agent_os:admin"] });
    socket.send({ action: "reconnect", run_id: stream.runId });
    await socket.until(() => socket.events.length > 0);
    const count = await authenticate(socket, { sub: "ann", scopes });
    expect(socket.messages).toContainEqual({ event: "error", error: expect.any(String), run_id: stream.runId });
    await stream.untilEvents(stream.events.length + 20);
    expect((await socket.ask({ action: "ping" })).event).toBe("pong");
    expect(socket.messages.slice(count)).toEqual([{ event: "pong" }]);
    await client.post(`${runs}/${stream.runId}/cancel?session_id=own`, undefined, bob);
    await stream.all();
  });

  test("keeps following its run after sending a fresh token", async () => {
    const socket = await connect(alice);
    socket.send({ action: "start-workflow", workflow_id: "simple-flow", ...endless });
    const { run_id } = await socket.event("WorkflowStarted");
    const count = await authenticate(socket, alice);
    await socket.until(() => socket.messages.length > count + 20);
    expect(named("error")(socket.messages)).toEqual([]);
    await running.client.post(`${runs}/${run_id}/cancel?session_id=own`, undefined, bearer(token(alice, pair)));
    expect(socket.events.map((text) => JSON.parse(text).event_index)).toEqual(socket.events.map((_, place) => place));
    await socket.event("WorkflowCancelled");
  });

  // If the client did not read the close frame, the connection would end after thirty seconds.
  test("is disconnected at once after ten wrong tokens", { timeout: 25_000 }, async () => {
    const socket = await connect();
    for (let tries = 0; tries < 15; tries++) socket.send({ action: "authenticate", token: `guess-${tries}` });
    expect(await socket.end()).toBe(1008);
    expect(named("auth_error")(socket.messages)).toHaveLength(10);
  });
});

eachDatabase("runs that a web socket follows", (openDatabase) => {
  const start = { action: "start-workflow", workflow_id: "gated", message: "go" };

  /** A server whose workflow waits until the test ends. */
  async function serve(
    database: TestDatabase,
    settings: Partial<Settings>,
    more: { authorization?: AuthorizationOptions } = {},
  ): Promise<Client> {
    const gate = new Gate();
    const workflow = defineWorkflow({
      ...{ id: "gated", sessionPolicy: "parallel" },
      steps: [step({ name: "wait", run: () => gate.pass() })],
    });
    const platform = definePlatform({ id: "test-os", workflows: [workflow], settings, ...more });
    const { server, client } = await startServer(database, platform);
    onTestFinished(async () => {
      gate.open();
      await server.close({ shutdownTimeout: 0 });
    });
    return client;
  }

  test("can be followed again at maxStreamsPerCaller, and another run returns an error", async () => {
    const client = await serve(await openDatabase(), { maxStreamsPerCaller: 2 }, { authorization });
    const socket = await connectTo(client, alice);
    for (const session_id of ["one", "two"]) socket.send({ ...start, session_id });
    await socket.until((messages) => named("WorkflowStarted")(messages).length === 2);
    const [one] = named("WorkflowStarted")(socket.messages);
    const { run_id, session_id } = one as Told;
    const again = { action: "reconnect", run_id, session_id, workflow_id: "gated", last_event_index: -1 };
    for (let time = 1; time <= 3; time++) {
      socket.send(again);
      await socket.until((messages) => named("WorkflowStarted")(messages).length === 2 + time);
    }
    // `ask` returns the next message: the followed runs send no further events.
    await socket.until((messages) => named("StepStarted")(messages).length === 5);
    expect(named("error")(socket.messages)).toEqual([]);
    // A failed reconnect does not end the present following.
    expect((await socket.ask({ ...again, session_id: "no" })).error).toBe(
      `Run ${run_id} not found in buffer or database`,
    );
    for (const other of [{ ...start }, { ...start, run_id }, { ...again, run_id: "other" }])
      expect((await socket.ask(other)).error).toMatch(/^2 streams of this caller are open at this process/);
    socket.close();
  });

  test("can be followed again at the connection's limit of 100 runs", async () => {
    const client = await serve(await openDatabase(), {});
    const socket = await connectTo(client);
    for (let run = 0; run < 100; run++) socket.send({ ...start, session_id: `s${run}` });
    await socket.until((messages) => named("WorkflowStarted")(messages).length === 100);
    const { run_id } = await socket.event("WorkflowStarted");
    socket.send({ action: "reconnect", run_id, last_event_index: -1 });
    await socket.until((messages) => named("WorkflowStarted")(messages).length === 101);
    await socket.until((messages) => named("StepStarted")(messages).length === 101);
    expect((await socket.ask(start)).error).toBe("A connection follows at most 100 runs at a time");
    socket.close();
  });

  describe("when the client disconnects", () => {
    afterEach(() => {
      vi.restoreAllMocks();
    });

    test("no timer and no followed run of the connection remains", async () => {
      // A duration that no other timer has.
      const socketIdleTimeout = 299_993;
      const client = await serve(
        await openDatabase(),
        { socketIdleTimeout, maxStreamsPerCaller: 1 },
        { authorization },
      );
      const [set, cleared] = [vi.spyOn(globalThis, "setTimeout"), vi.spyOn(globalThis, "clearTimeout")];
      const waiting = (): number => {
        const over = new Set(cleared.mock.calls.map(([timer]) => timer));
        const timers = set.mock.calls.flatMap(([, after], place) =>
          after === socketIdleTimeout ? [set.mock.results[place]?.value] : [],
        );
        return timers.filter((timer) => !over.has(timer)).length;
      };
      const socket = await connectTo(client, alice);
      socket.send(start);
      await socket.event("StepStarted");
      expect(waiting()).toBe(1);
      socket.close();
      // The connection's run no longer counts once another one may start.
      const next = await connectTo(client, alice);
      await eventually(async () => {
        expect((await next.ask({ ...start, session_id: "next" })).event).toBe("WorkflowStarted");
      });
      expect(waiting()).toBe(1);
      next.close();
    });
  });
});
