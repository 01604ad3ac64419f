/** The stock JavaScript clients of both versions, over both bindings, each created from a card. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eachDatabase, type OpenDatabase, type TestDatabase } from "../support/databases.ts";
import { type OpenServer, openServer } from "../support/open-server.ts";
import { bearer, makePair, token } from "../support/tokens.ts";
import { desk, receiver, slowWords } from "./support/desk.ts";
import { allOf, answerOf, type Stock, stock03, stock10, type Told } from "./support/stock.ts";

const clients = [
  { name: "1.0 over JSON-RPC", version: "1.0", make: stock10, binding: "JSONRPC" },
  { name: "1.0 over HTTP", version: "1.0", make: stock10, binding: "HTTP+JSON" },
  { name: "0.3 over JSON-RPC", version: "0.3", make: stock03, binding: "JSONRPC" },
  { name: "0.3 over HTTP", version: "0.3", make: stock03, binding: "HTTP+JSON" },
] as const;

const cardOf = (address: string, path: string): string => `${address}/a2a/${path}/.well-known/agent-card.json`;

function served(openDatabase: OpenDatabase): () => string {
  let server: OpenServer;
  let address = "";
  beforeAll(async () => {
    server = await openServer(await openDatabase(), desk());
    address = server.client.address.origin;
  });
  afterAll(() => server.end(0));
  return () => address;
}

eachDatabase("the stock client", (openDatabase) => {
  const address = served(openDatabase);

  describe.each(clients)("of $name", ({ version, make, binding }) => {
    const open = (path = "agents/clerk"): Promise<Stock> => make(cardOf(address(), path), binding);

    test.concurrent("sends a message to an agent, a team and a workflow, and reads the task by its id", async ({
      expect,
    }) => {
      for (const path of ["agents/clerk", "teams/office", "workflows/round"]) {
        const client = await open(path);
        const task = await client.send("hello");
        expect(task).toMatchObject({ kind: "task", state: "completed", text: "You said: hello", history: ["hello"] });
        expect(await client.get(task.taskId)).toEqual(task);
        expect((await client.get(task.taskId, 0)).history).toEqual([]);
      }
    });

    test.concurrent("continues a context, and gets a structured answer as data", async ({ expect }) => {
      const client = await open();
      const { contextId } = await client.send("one");
      expect((await client.send("two", { contextId })).contextId).toBe(contextId);
      const counter = await open("agents/counter");
      const { text } = await counter.send("count");
      expect(text).toContain(version === "0.3" ? '"letters":3' : "[object Object]");
    });

    test.concurrent("streams the task first, then its states in order and the answer in pieces", async ({ expect }) => {
      const told = await allOf((await open()).stream("in pieces"));
      expect(told[0]).toMatchObject({ kind: "task", state: "submitted", history: ["in pieces"] });
      const states = told.filter(({ kind }) => kind === "status").map(({ state }) => state);
      expect(states).toEqual(["working", "completed"]);
      expect(told.filter(({ kind }) => kind === "artifact").length).toBeGreaterThan(3);
      expect(answerOf(told)).toBe("You said: in pieces");
      expect(new Set(told.map(({ taskId }) => taskId)).size).toBe(1);
    });

    test.concurrent("sends without waiting, polls and cancels; an ended task cannot be cancelled", async ({
      expect,
    }) => {
      const client = await open();
      const begun = await client.send("endless", { waits: false });
      expect(["submitted", "working"]).toContain(begun.state);
      expect((await client.cancel(begun.taskId)).state).toBe("canceled");
      expect((await client.get(begun.taskId)).state).toBe("canceled");
      await expect(client.cancel(begun.taskId)).rejects.toThrow(/cannot be canceled/);
      await expect(client.get("no-such-task")).rejects.toThrow(/Task not found/);
      await expect(allOf(client.resubscribe("no-such-task"))).rejects.toThrow(/Task not found/);
    });

    test.concurrent("resubscribes after a lost connection and gets the whole answer", async ({ expect }) => {
      const client = await open();
      const cut = new AbortController();
      let taskId = "";
      await expect(
        (async () => {
          let pieces = 0;
          for await (const one of client.stream("slow", { signal: cut.signal })) {
            taskId = one.taskId;
            if (one.kind === "artifact" && ++pieces === 3) cut.abort();
          }
        })(),
      ).rejects.toThrow();
      const told = await allOf(client.resubscribe(taskId));
      expect(told[0]).toMatchObject({ kind: "task", taskId });
      expect(told.at(-1)).toMatchObject({ kind: "status", state: "completed" });
      expect(answerOf(told)).toBe(slowWords.join(""));
    });

    test.concurrent("answers a question, which completes the task; a further answer is rejected", async ({
      expect,
    }) => {
      const client = await open();
      const asked = await client.send("approve");
      expect(asked.state).toBe("input-required");
      const { taskId, contextId } = asked;
      const done = await client.send("yes", { taskId, contextId });
      expect(done).toMatchObject({ taskId, contextId, state: "completed", text: "The tool said sent to Ada" });
      await expect(client.send("again", { taskId, contextId })).rejects.toThrow(/The task is over|not supported/);
    });

    test.concurrent("gets push notifications of its task with the configured token", async ({
      expect,
      onTestFinished,
    }) => {
      const client = await open();
      const { url, got } = await receiver(() => 200, onTestFinished);
      const { taskId } = await client.send("tell me", { push: { url, token: "mine" } });
      await expect.poll(() => statesIn(got)).toEqual(["working", "completed"]);
      expect(got.every(({ headers }) => headers["x-a2a-notification-token"] === "mine")).toBe(true);
      expect(got.every(({ text }) => text.includes(taskId))).toBe(true);
      expect(got.some(({ text }) => text.includes("You said: tell me"))).toBe(true);
    });

    test.concurrent("creates, reads, lists and deletes push notification configs; an invalid URL is rejected", async ({
      expect,
    }) => {
      const client = await open();
      const { taskId } = await client.send("hello");
      const url = "https://client.example/hook";
      expect(await client.setPush(taskId, "one", url)).toMatchObject({ id: "one", url });
      await client.setPush(taskId, "two", url);
      expect(await client.getPush(taskId, "one")).toMatchObject({ id: "one", url });
      expect(await client.listPush(taskId)).toEqual(["one", "two"]);
      await client.deletePush(taskId, "one");
      await client.deletePush(taskId, "one");
      expect(await client.listPush(taskId)).toEqual(["two"]);
      await expect(client.getPush(taskId, "one")).rejects.toThrow(/not found/);
      await expect(client.setPush(taskId, "three", "ftp://client.example")).rejects.toThrow(/https/);
    });
  });
});

/** Returns the notified states in the spelling of 0.3. */
function statesIn(
  got: readonly { body: { status?: { state: string }; statusUpdate?: { status: { state: string } } } }[],
) {
  return got.flatMap(({ body }) => {
    const state = body.status?.state ?? body.statusUpdate?.status.state;
    return state === undefined ? [] : [state.replace("TASK_STATE_", "").toLowerCase()];
  });
}

describe("with authorization", () => {
  const pair = makePair();
  const authorization = { verificationKeys: [pair.pem] };

  test.each(clients)(
    "the client of $name reads a public card without a token, and needs a token with scopes for everything else",
    async (one) => {
      const { createDataDir } = await import("../support/databases.ts");
      const { path: dataDir, remove } = await createDataDir();
      const database: TestDatabase = { kind: "sqlite", dataDir };
      const server = await openServer(database, desk({ publicCards: true }, { authorization }));
      try {
        const card = cardOf(server.client.address.origin, "agents/clerk");
        const stranger = await one.make(card, one.binding);
        await expect(stranger.send("hello")).rejects.toThrow(/401/);
        const forger = await one.make(
          card,
          one.binding,
          bearer(token({ sub: "ada", scopes: ["agents:run"] }, makePair())),
        );
        await expect(forger.send("hello")).rejects.toThrow(/401/);
        const reader = await one.make(card, one.binding, bearer(token({ sub: "ada", scopes: ["agents:read"] }, pair)));
        await expect(reader.send("hello")).rejects.toThrow(/403/);
        const client = await one.make(
          card,
          one.binding,
          bearer(token({ sub: "ada", scopes: ["agents:run", "agents:read"] }, pair)),
        );
        const task: Told = await client.send("hello");
        expect(task.text).toBe("You said: hello");
        expect((await reader.get(task.taskId)).taskId).toBe(task.taskId);
      } finally {
        await server.end(0);
        await remove();
      }
    },
  );
});
