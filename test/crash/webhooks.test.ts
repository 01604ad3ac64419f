/** Webhook messages survive the death of the process between the commit of their event and their delivery. */
import { fileURLToPath } from "node:url";
import { test, vi } from "vitest";
import { databaseKinds, openDatabaseOf } from "../support/databases.ts";
import { startServerProcess } from "../support/server-process.ts";
import { openReceiver, secret } from "../webhooks/support/receiver.ts";

vi.setConfig({ testTimeout: 180_000 });

const app = fileURLToPath(new URL("../support/push-app.ts", import.meta.url));
const settings = {
  leaseDuration: 3_000,
  leaseRenewInterval: 500,
  sweepInterval: 500,
  pushSweepInterval: 500,
  webhookRetryInterval: 200,
  maxWebhookRetryInterval: 400,
  maxWebhookAttempts: 10_000,
};

test.concurrent.for(databaseKinds)(
  "after kill -9 between commit and delivery on %s, the next process delivers every message once per id",
  async (kind, { expect }) => {
    await using database = await openDatabaseOf(kind);
    await using receiver = await openReceiver(secret, 503);
    await using first = await startServerProcess(database, settings, { app });
    const webhooks = JSON.stringify([{ url: receiver.url, secret }]);
    const started = await Promise.all(
      Array.from({ length: 4 }, async (_, place) => {
        const message = JSON.stringify({ deltas: 2 });
        const fields = { message, webhooks, stream: false, session_id: `s${place}` };
        return (await first.client.post("/agents/talker/runs", fields)).body.run_id as string;
      }),
    );
    // Their ends are committed. The receiver has accepted nothing.
    await first.crash();
    receiver.answer(200);
    await using second = await startServerProcess(database, settings, { app });
    const ids = (): string[] => [...new Set(receiver.got.map(({ body }) => body.data.run_id as string))];
    await expect.poll(() => ids().sort(), { timeout: 60_000 }).toEqual([...started].sort());
    await expect
      .poll(async () => (await second.client.get("/webhooks/deliveries?state=pending")).body, { timeout: 60_000 })
      .toEqual([]);
    expect(new Set(receiver.got.map(({ id }) => id)).size).toBe(4);
  },
);
