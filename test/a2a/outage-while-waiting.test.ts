/** Blocking messages whose server stops waiting for the task, because its database is unavailable. */
import { describe, expect, onTestFinished, test } from "vitest";
import { eachDatabase } from "../support/databases.ts";
import { openServer } from "../support/open-server.ts";
import { desk } from "./support/desk.ts";
import { stock03, stock10 } from "./support/stock.ts";

const clients = [
  { name: "1.0 over JSON-RPC", make: stock10, binding: "JSONRPC" },
  { name: "1.0 over HTTP", make: stock10, binding: "HTTP+JSON" },
  { name: "0.3 over JSON-RPC", make: stock03, binding: "JSONRPC" },
  { name: "0.3 over HTTP", make: stock03, binding: "HTTP+JSON" },
] as const;

eachDatabase("a blocking message during an outage of the database", (openDatabase) => {
  describe.each(clients)("from the stock client of $name", ({ make, binding }) => {
    test("returns the working task, and the client reads the completed task later", async () => {
      const server = await openServer(await openDatabase(), desk());
      onTestFinished(() => server.end(0));
      const card = `${server.client.address.origin}/a2a/agents/clerk/.well-known/agent-card.json`;
      const client = await make(card, binding);
      const sent = client.send("slow");
      await expect.poll(async () => (await server.store.unhostedRuns([])).length).toBe(1);
      server.logs.interrupt("outage");
      const task = await sent;
      expect(task).toMatchObject({ kind: "task", state: "working" });
      server.logs.resume();
      await expect.poll(async () => (await client.get(task.taskId)).state).toBe("completed");
    });
  });
});
