/** The web socket of workflows: the same runs and the same log as over HTTP, one JSON object per message. */
import { connect } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Server } from "../../src/platform/server.ts";
import { eachDatabase, openDatabaseOf } from "../support/databases.ts";
import { moveClock } from "../support/move-clock.ts";
import { SocketClient } from "../support/socket-client.ts";
import { bearer, inSeconds, makePair, token } from "../support/tokens.ts";
import type { Client } from "./support/client.ts";
import { conformancePlatform } from "./support/platform.ts";
import { startServer } from "./support/server.ts";

const pair = makePair();
const isOver = ({ event }: { event?: string }): boolean => event === "WorkflowCompleted";
const hello = { action: "start-workflow", workflow_id: "simple-flow", message: "hello" };
const slow = { ...hello, message: "slow please" };

/** The data lines of a run's log, as resume over HTTP sends them. */
async function logOf(
  client: Client,
  runId: string,
  headers = {},
  fields = {},
  workflow = "simple-flow",
): Promise<string[]> {
  const stream = await client.stream(`/workflows/${workflow}/runs/${runId}/resume`, fields, headers);
  await stream.all();
  return stream.events.map(({ raw }) => /\ndata: (.*)\n/.exec(raw)?.[1] ?? "");
}

eachDatabase("the web socket of workflows", (openDatabase) => {
  describe("without authorization", () => {
    let running: { server: Server; client: Client };
    let idle: SocketClient;
    const open: SocketClient[] = [];
    const connectTo = async (headers = {}): Promise<SocketClient> => {
      const socket = await SocketClient.open(running.client.base, headers);
      open.push(socket);
      await socket.event("connected");
      return socket;
    };
    beforeAll(async () => {
      running = await startServer(
        await openDatabase(),
        conformancePlatform({ socketIdleTimeout: 2_000, maxBodyBytes: 10_000 }),
      );
      // This connection ends while the tests use others.
      idle = await SocketClient.open(running.client.base);
    });
    afterEach(() => {
      for (const socket of open.splice(0)) socket.close();
    });
    afterAll(() => running?.server.close({ shutdownTimeout: 0 }));

    test("greets, answers ping, and returns an error for an invalid message", async () => {
      const socket = await connectTo();
      expect(socket.texts).toEqual([
        '{"event": "connected", "message": "Connected to Troupe.", "requires_auth": false}',
      ]);
      expect(await socket.ask({ action: "ping" })).toEqual({ event: "pong" });
      expect(await socket.ask({ action: "zzz" })).toEqual({ event: "error", error: "Unknown action: zzz" });
      expect(await socket.ask({})).toEqual({ event: "error", error: "Unknown action: None" });
      expect(await socket.ask({ action: "toString" })).toEqual({ event: "error", error: "Unknown action: toString" });
      expect(await socket.ask("not json")).toEqual({ event: "error", error: "Invalid JSON: not a JSON text" });
      expect((await socket.ask("[1]")).error).toBe("Messages must be JSON objects");
      expect((await socket.ask(Buffer.from("{}"))).error).toBe("Messages must be text");
      expect(await socket.ask({ action: "authenticate", token: "x" })).toMatchObject({ event: "authenticated" });
      expect(await socket.ask({ action: "authenticate" })).toEqual({ event: "auth_error", error: "Token is required" });
      expect(await socket.ask({ action: "ping" })).toEqual({ event: "pong" });
      const asked = [
        [{ action: "start-workflow" }, "workflow_id is required"],
        [{ ...hello, workflow_id: "nope" }, "Workflow nope not found"],
        [{ ...hello, message: undefined }, "body.message: Field required"],
        [{ ...hello, factory_input: "[]" }, "factory_input must be a JSON object, got list"],
        [{ action: "reconnect" }, "run_id is required for subscription"],
        [{ action: "reconnect", run_id: "nope" }, "Run nope not found in buffer or database"],
        [{ action: "continue-workflow" }, "workflow_id is required"],
        [
          { action: "continue-workflow", workflow_id: "hitl-flow", run_id: "nope" },
          "session_id is required for this action",
        ],
        [
          { action: "continue-workflow", workflow_id: "hitl-flow", run_id: "nope", session_id: "s" },
          "Run nope not found",
        ],
      ] as const;
      for (const [message, error] of asked) expect(await socket.ask(message)).toMatchObject({ event: "error", error });
    });

    test("[P3] sends a run's events as JSON, byte for byte as in its log [L3]", async () => {
      const socket = await connectTo();
      socket.send({ ...hello, session_id: "ws-1" });
      await socket.until((messages) => messages.some(isOver));
      const [first] = socket.messages.filter(({ event_index }) => event_index === 0);
      expect(first).toMatchObject({ event: "WorkflowStarted", session_id: "ws-1", workflow_id: "simple-flow" });
      expect(socket.events).toEqual(await logOf(running.client, first?.run_id));
      const record = await running.client.get(`/workflows/simple-flow/runs/${first?.run_id}?session_id=ws-1`);
      expect(record.json).toMatchObject({ status: "COMPLETED", input: "hello" });
    });

    test("[P5] [L3] [L6] resumes after the cursor on several sockets at once, during the run and afterwards", async () => {
      const socket = await connectTo();
      socket.send(slow);
      await socket.until((messages) => messages.length > 8);
      socket.close();
      const runId = socket.messages[1]?.run_id;
      const last_event_index = 3;
      const readers = await Promise.all([connectTo(), connectTo()]);
      for (const reader of readers) reader.send({ action: "reconnect", run_id: runId, last_event_index });
      for (const reader of readers) {
        await reader.until((messages) => messages.some(isOver));
        expect((await reader.event("catch_up")).missed_events).toBeGreaterThan(0);
        expect(await reader.event("subscribed")).toMatchObject({ run_id: runId, status: "running" });
      }
      const log = await logOf(running.client, runId);
      for (const reader of readers) expect(reader.events).toEqual(log.slice(last_event_index + 1));

      const late = await connectTo();
      const asked = {
        action: "reconnect",
        run_id: runId,
        last_event_index: log.length - 3,
        workflow_id: "simple-flow",
      };
      expect(await late.ask(asked)).toMatchObject({ event: "replay", status: "COMPLETED", total_events: 2 });
      await late.until((messages) => messages.some(isOver));
      expect(late.events).toEqual(log.slice(-2));
      expect((await late.ask({ ...asked, workflow_id: "rich-flow" })).error).toMatch(/not found in buffer/);
      expect((await late.ask({ ...asked, session_id: "other" })).error).toMatch(/not found in buffer/);
    });

    test("continues a paused run once, and returns an error afterwards", async () => {
      const socket = await connectTo();
      const flow = { workflow_id: "hitl-flow", session_id: "ws-3" };
      socket.send({ ...hello, ...flow });
      const { step_requirements, run_id, event_index } = await socket.event("WorkflowPaused");
      const answer = { action: "continue-workflow", ...flow, run_id };
      expect((await socket.ask(answer)).error).toMatch(/unresolved step requirements: \['ask'\]/);
      const given = { ...answer, step_requirements: [{ ...step_requirements[0], confirmed: true }] };
      const other = await connectTo();
      other.send(given);
      await other.until((messages) => messages.some(isOver));
      // The log has the run's record after the pause. It has no `event` member, so the socket does not send it.
      expect(other.messages[1]).toMatchObject({ event: "StepContinued", event_index: event_index + 2 });
      expect(socket.messages.map(({ event }) => event).slice(-2)).toEqual(["WorkflowPaused", "error"]);
      const late = await connectTo();
      late.send({ action: "reconnect", ...flow, run_id });
      await late.until((messages) => messages.some(isOver));
      expect(late.messages.every(({ event }) => typeof event === "string")).toBe(true);
      expect(late.events).toHaveLength((await logOf(running.client, run_id, {}, {}, "hitl-flow")).length - 1);
      expect((await socket.ask(given)).error).toBe("Run is not paused (status=COMPLETED)");
    });

    test("sends pending for a run that waits for its turn in the session", async () => {
      const queued = conformancePlatform().workflows.find(({ id }) => id === "simple-flow");
      expect(queued?.sessionPolicy).toBe("parallel");
      const socket = await connectTo();
      socket.send({ ...slow, workflow_id: "queue-flow", session_id: "ws-q" });
      await socket.event("WorkflowStarted");
      expect((await socket.ask({ ...hello, workflow_id: "queue-flow", session_id: "ws-q" })).event).toBeDefined();
      const { run_id } = await socket.event("pending");
      await socket.until((messages) => messages.some((message) => isOver(message) && message.run_id === run_id));
      expect(socket.messages.filter(isOver)).toHaveLength(2);
    });

    test("limits the size of messages, closes idle connections, and rejects foreign origins and hosts with 403", async () => {
      const socket = await connectTo();
      socket.send({ ...hello, message: "x".repeat(11_000) });
      expect(await socket.end()).toBe(1009);
      expect(await idle.end()).toBe(1000);
      expect(idle.messages.at(-1)?.error).toMatch(/connection was idle/);
      await expect(connectTo({ origin: "https://evil.example" })).rejects.toThrow("403");
      await expect(connectTo({ host: "evil.example" })).rejects.toThrow("403");
      await expect(SocketClient.open(running.client.base, {}, "/workflows/other/ws")).rejects.toThrow("404");
      expect((await connectTo({ origin: "http://localhost:3000" })).messages).toHaveLength(1);
    });

    test("a request to upgrade to another protocol is answered over HTTP", async () => {
      const { hostname, port } = running.client.base;
      const answer = await new Promise<string>((resolve, reject) => {
        const socket = connect(Number(port), hostname);
        socket.once("data", (data) => resolve(data.toString())).once("error", reject);
        socket.write(`GET /health HTTP/1.1\r\nHost: ${hostname}\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n`);
      });
      expect(answer).toMatch(/^HTTP\/1.1 200/);
    });
  });

  describe("with authorization", () => {
    let running: { server: Server; client: Client };
    let silent: SocketClient;
    const open: SocketClient[] = [];
    const connectTo = async (claims?: Record<string, unknown>): Promise<SocketClient> => {
      const socket = await SocketClient.open(running.client.base);
      open.push(socket);
      await socket.event("connected");
      if (claims) socket.send({ action: "authenticate", token: token(claims, pair) });
      if (claims) await socket.event("authenticated");
      return socket;
    };
    const alice = { sub: "alice", scopes: ["workflows:run"] };
    const flow = { workflow_id: "simple-flow" };
    beforeAll(async () => {
      const authorization = { verificationKeys: [pair.pem], userIsolation: true, leewaySeconds: 0 };
      const platform = {
        ...conformancePlatform({ socketAuthenticationTimeout: 3_000, credentialCheckInterval: 200 }),
        authorization,
      };
      running = await startServer(await openDatabase(), platform);
      silent = await SocketClient.open(running.client.base);
    });
    afterEach(() => {
      for (const socket of open.splice(0)) socket.close();
    });
    afterAll(() => running?.server.close({ shutdownTimeout: 0 }));

    test("[J10] answers only authenticate until the client is authenticated", async () => {
      const socket = await connectTo();
      expect(socket.messages[0]).toMatchObject({ requires_auth: true });
      const refusal = "Authentication required. Send authenticate action with valid JWT.";
      for (const message of [{ action: "ping" }, hello, { action: "reconnect", run_id: "x" }])
        expect(await socket.ask(message)).toEqual({ event: "auth_required", error: refusal });
      const tokens = [
        [undefined, "Token is required", undefined],
        ["garbage", "Not enough segments", "invalid_token"],
        [token({ ...alice, exp: inSeconds(-60) }, pair), "Signature has expired", "expired"],
        [token({ ...alice, sub: "sa:x" }, pair), "Invalid token subject", "invalid_token"],
        [token(alice, makePair()), "Signature verification failed", "invalid_token"],
        ["agno_pat_zzz", "Invalid or expired service account token", undefined],
      ] as const;
      for (const [given, error, error_type] of tokens) {
        const told = await socket.ask({ action: "authenticate", token: given });
        expect(told).toEqual({ event: "auth_error", error, ...(error_type && { error_type }) });
      }
    });

    test("[J9] [J11] the scopes of the routes apply, and the token determines the user", async () => {
      const weak = await connectTo({
        sub: "alice",
        scopes: ["agents:run", "workflows:read", "workflows:rich-flow:run"],
      });
      expect(weak.messages.slice(1)).toEqual([
        { event: "authenticated", message: "Authentication successful. You can now send commands." },
        { event: "authenticated", message: "JWT authentication successful.", user_id: "alice" },
      ]);
      expect((await weak.ask(hello)).error).toBe("Insufficient permissions to run this workflow");
      const unknown = await weak.ask({ action: "reconnect", run_id: "x" });
      expect(unknown.error).toBe("Insufficient permissions to reconnect to this workflow");
      const more = await weak.ask({ action: "continue-workflow", ...flow, run_id: "x" });
      expect(more.error).toBe("Insufficient permissions to continue this workflow");
      expect((await weak.ask({ ...hello, workflow_id: "rich-flow" })).event).toBe("WorkflowStarted");

      const socket = await connectTo(alice);
      socket.send({ ...hello, session_id: "own", user_id: "mallory" });
      await socket.until((messages) => messages.some(isOver));
      const run_id = socket.messages.find(({ event_index }) => event_index === 0)?.run_id;
      const reading = { authorization: `Bearer ${token({ sub: "alice", scopes: ["workflows:read"] }, pair)}` };
      const record = await running.client.get(`/workflows/simple-flow/runs/${run_id}?session_id=own`, reading);
      expect(record.json).toMatchObject({ user_id: "alice", status: "COMPLETED" });

      expect((await socket.ask({ action: "reconnect", run_id })).error).toBe("session_id is required for this action");
      const bob = await connectTo({ ...alice, sub: "bob" });
      const asked = { action: "reconnect", run_id, session_id: "own", ...flow };
      expect((await bob.ask(asked)).error).toBe(`Run ${run_id} not found in buffer or database`);
      expect((await socket.ask(asked)).event).toBe("replay");
    });

    test("[J11] continues a run only in the session that the token names, as over HTTP", async () => {
      const socket = await connectTo(alice);
      const flow = { workflow_id: "hitl-flow", session_id: "two" };
      socket.send({ ...hello, ...flow });
      const { step_requirements, run_id } = await socket.event("WorkflowPaused");
      const answers = [{ ...step_requirements[0], confirmed: true }];
      const given = { action: "continue-workflow", ...flow, run_id, step_requirements: answers };
      const narrow = { ...alice, session_id: "one" };
      const elsewhere = await connectTo(narrow);
      expect(await elsewhere.ask(given)).toEqual({ event: "error", error: `Run ${run_id} not found` });
      const fields = { session_id: "two", stream: false, step_requirements: JSON.stringify(answers) };
      const headers = bearer(token(narrow, pair));
      const path = `/workflows/hitl-flow/runs/${run_id}/continue`;
      expect((await running.client.post(path, fields, headers)).status).toBe(404);
      // The client need not repeat the token's session.
      const there = await connectTo({ ...alice, session_id: "two" });
      there.send({ ...given, session_id: undefined });
      expect(await there.event("WorkflowCompleted")).toMatchObject({ run_id, session_id: "two" });
    });

    test("[J46] an expired token ends the followed runs, and a new token resumes them", async () => {
      const socket = await connectTo({ ...alice, exp: inSeconds(60) });
      socket.send({ ...slow, message: "endless", session_id: "long" });
      const { run_id } = await socket.event("WorkflowStarted");
      moveClock(61_000);
      expect(await socket.event("auth_error")).toMatchObject({ error: "Signature has expired", error_type: "expired" });
      const count = socket.events.length;
      expect((await socket.ask({ action: "ping" })).event).toBe("auth_required");
      expect(socket.events).toHaveLength(count);
      socket.send({ action: "authenticate", token: token(alice, pair) });
      socket.send({ action: "reconnect", run_id, session_id: "long", last_event_index: count - 1, ...flow });
      await socket.until(() => socket.events.length > count);
      expect(socket.events.map((text) => JSON.parse(text).event_index)).toEqual(socket.events.map((_, place) => place));
      const headers = { authorization: `Bearer ${token(alice, pair)}` };
      await running.client.post(`/workflows/simple-flow/runs/${run_id}/cancel?session_id=long`, undefined, headers);
      expect(await socket.event("WorkflowCancelled")).toMatchObject({ run_id });
    });

    test("[J10] accepts a large message only from an authenticated client", async () => {
      const large = { action: "ping", padding: "x".repeat(1024 * 1024) };
      const known = await connectTo(alice);
      expect(await known.ask(large)).toEqual({ event: "pong" });
      const stranger = await connectTo();
      stranger.send(large);
      // The connection is cut: its last message may be lost.
      expect([1006, 1009]).toContain(await stranger.end());
      expect(stranger.messages.slice(1)).toEqual([]);
    });

    test("[J10] closes a connection that does not authenticate in time or fails ten times", async () => {
      const guesser = await connectTo();
      for (let tries = 0; tries < 10; tries++) guesser.send({ action: "authenticate", token: `guess-${tries}` });
      expect(await guesser.end()).toBe(1008);
      expect(guesser.messages.filter(({ event }) => event === "auth_error")).toHaveLength(10);
      expect(await silent.end()).toBe(1008);
      expect(silent.messages.at(-1)).toEqual({ event: "auth_error", error: "Authentication did not come in time" });
    });
  });

  test("a shutdown sends the cursor, and the run continues from it on another server [L2] [L3]", async () => {
    const database = await openDatabase();
    const { server, client } = await startServer(database);
    const socket = await SocketClient.open(client.base);
    socket.send({ ...slow, message: "endless" });
    await socket.until(() => socket.events.length > 20);
    await server.close({ shutdownTimeout: 0 });
    expect(await socket.end()).toBe(1001);
    const { run_id } = socket.messages[1] ?? {};
    expect(socket.messages.at(-1)).toMatchObject({
      ...{ event: "interrupted", run_id, last_event_index: socket.events.length - 1 },
    });
    const next = await startServer(database);
    const later = await SocketClient.open(next.client.base);
    const last_event_index = socket.events.length - 1;
    later.send({ action: "reconnect", run_id, last_event_index });
    await later.until(() => later.events.length > 5);
    expect(later.events.map((text) => JSON.parse(text).event_index)).toEqual(
      later.events.map((_, place) => last_event_index + 1 + place),
    );
    await next.client.post(`/workflows/simple-flow/runs/${run_id}/cancel`);
    await later.event("WorkflowCancelled");
    await next.server.close({ shutdownTimeout: 0 });
  });
});

test("a socket that does not read has a bounded buffer and loses no event [L8]", async () => {
  await using database = await openDatabaseOf("sqlite");
  const { server, client } = await startServer(database, conformancePlatform({ maxSocketBufferBytes: 4_096 }));
  const socket = await SocketClient.open(client.base);
  socket.send({ ...slow, message: "torrent" });
  await socket.event("WorkflowStarted");
  socket.stall();
  const { run_id } = await socket.event("WorkflowStarted");
  const log = await logOf(client, run_id);
  expect(Buffer.byteLength(log.join(""))).toBeGreaterThan(8_000_000);
  expect(socket.messages.some(isOver)).toBe(false);
  socket.readOn();
  await socket.until((messages) => messages.some(isOver));
  expect(socket.events).toEqual(log);
  await server.close({ shutdownTimeout: 0 });
});
