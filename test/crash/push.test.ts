/** Push notifications survive the death of the process that sends them. */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { test, vi } from "vitest";
import { Raw, said10 } from "../a2a/support/raw.ts";
import { databaseKinds, openDatabaseOf } from "../support/databases.ts";
import { startServerProcess } from "../support/server-process.ts";

vi.setConfig({ testTimeout: 180_000 });

const app = fileURLToPath(new URL("../support/push-app.ts", import.meta.url));
const settings = {
  leaseDuration: 3_000,
  leaseRenewInterval: 500,
  sweepInterval: 500,
  pushSweepInterval: 500,
  pushRetryInterval: 200,
};
const path = "/a2a/agents/talker";

/** A receiver that responds with the status of `answer`, and leaves the request open for undefined. */
async function receiver(
  answer: () => number | undefined,
): Promise<{ url: string; told: string[]; asked: () => number } & AsyncDisposable> {
  const told: string[] = [];
  const open = new Set<ServerResponse>();
  let asked = 0;
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    asked += 1;
    const status = answer();
    if (status === undefined) return void open.add(response);
    const { statusUpdate } = JSON.parse(text);
    if (status === 200 && statusUpdate) told.push(statusUpdate.status.state);
    response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    told,
    asked: () => asked,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test.concurrent.for(databaseKinds)(
  "after kill -9 during a delivery on %s, the next process delivers every push notification in order",
  async (kind, { expect }) => {
    let status: number | undefined;
    await using database = await openDatabaseOf(kind);
    await using hook = await receiver(() => status);
    await using first = await startServerProcess(database, settings, { app });
    const configuration = { taskPushNotificationConfig: { url: hook.url } };
    const order = said10(JSON.stringify({ deltas: 3 }), {}, configuration);
    const { json } = await new Raw(() => first.client.address.origin).call("SendMessage", order, path);
    expect(json.result.task.status.state).toBe("TASK_STATE_COMPLETED");
    // The request is open, so a process that is killed now holds the claim of the row.
    await expect.poll(() => hook.asked()).toBeGreaterThan(0);
    await first.crash();
    status = 200;
    await using _second = await startServerProcess(database, settings, { app });
    const all = ["TASK_STATE_WORKING", "TASK_STATE_COMPLETED"];
    await expect.poll(() => hook.told, { timeout: 60_000 }).toEqual(all);
  },
);

test.concurrent("a live replica delivers the push notifications of a killed replica", async ({ expect }) => {
  let status: number | undefined;
  await using database = await openDatabaseOf("postgres");
  await using hook = await receiver(() => status);
  await using first = await startServerProcess(database, settings, { app });
  await using _other = await startServerProcess(database, { ...settings, maxConcurrentPushes: 1 }, { app });
  const configuration = { taskPushNotificationConfig: { url: hook.url } };
  const order = said10(JSON.stringify({ deltas: 3 }), {}, configuration);
  await new Raw(() => first.client.address.origin).call("SendMessage", order, path);
  await expect.poll(() => hook.asked()).toBeGreaterThan(0);
  await first.crash();
  status = 200;
  // Either replica may hold the claim: the live one's open attempt ends with its time-out.
  await expect.poll(() => hook.told, { timeout: 60_000 }).toEqual(["TASK_STATE_WORKING", "TASK_STATE_COMPLETED"]);
});
