/** kill -9 while a run of an earlier version executes, and while a run waits in the queue of its session. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test, vi } from "vitest";
import { databaseKinds, openDatabaseOf } from "../support/databases.ts";
import { eventually } from "../support/eventually.ts";
import { type ServerProcess, startServerProcess } from "../support/server-process.ts";

vi.setConfig({ testTimeout: 180_000 });

const app = fileURLToPath(new URL("./versions-app.ts", import.meta.url));
const settings = { leaseDuration: 2_000, leaseRenewInterval: 400, sweepInterval: 300 };

async function send({ client }: ServerProcess, path: string, body: object): Promise<void> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${client.address.origin}${path}`, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
  });
  expect([response.status, await response.text()]).toEqual([
    expect.toSatisfy((status) => status < 300),
    expect.anything(),
  ]);
}

test.concurrent.each(databaseKinds)(
  "a live run and a queued run keep their versions across kill -9, a publication and a rollback on %s",
  async (kind) => {
    await using database = await openDatabaseOf(kind);
    const folder = await mkdtemp(join(tmpdir(), "troupe-versions-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const gate = join(folder, "gate");
    const open = () => startServerProcess(database, settings, { app, env: { TEST_GATE: gate } });
    const publish = (server: ServerProcess, instructions: string) =>
      send(server, "/components/clerk/configs", { config: { instructions }, stage: "published" });

    let server = await open();
    await publish(server, "one");
    const live = await server.client.stream("/agents/clerk/runs", { message: "go", session_id: "s" });
    await live.next(({ event }) => event === "ToolCallStarted");
    await publish(server, "two");
    const queued = await server.client.stream("/agents/clerk/runs", { message: "go", session_id: "s" });
    await publish(server, "three");
    await server.crash();

    server = await open();
    await send(server, "/components/clerk/configs/2/set-current", {});
    await writeFile(gate, "");
    const contentOf = (runId: string) =>
      eventually(async () => {
        const { status, content, component_version } = await server.client.record("agents/clerk", {
          runId,
          sessionId: "s",
        });
        expect(status).toBe("COMPLETED");
        return [content, component_version];
      });
    expect(await contentOf(live.runId)).toEqual(["I am told: one", 1]);
    expect(await contentOf(queued.runId)).toEqual(["I am told: two", 2]);
    const next = await server.client.post("/agents/clerk/runs", { message: "go", stream: "false" });
    expect([next.body.content, next.body.component_version]).toEqual(["I am told: two", 2]);
    await server.crash();
  },
);
