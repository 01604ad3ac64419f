/** A run that kills its process, or would, does not stop the next process from serving. */
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, test, vi } from "vitest";
import { databaseKinds, openDatabaseOf, type TestDatabase } from "../support/databases.ts";
import { eventually } from "../support/eventually.ts";
import { executeSql } from "../support/execute-sql.ts";
import { type ServerProcess, startServerProcess } from "../support/server-process.ts";

vi.setConfig({ testTimeout: 240_000 });

const app = fileURLToPath(new URL("./deadly-app.ts", import.meta.url));
const settings = { leaseDuration: 2_000, leaseRenewInterval: 500, sweepInterval: 200, maxStalledTakeovers: 2 };

function start(database: TestDatabase): Promise<ServerProcess> {
  return startServerProcess(database, settings, { app });
}

/** The one run of a session; undefined as soon as the process has ended. */
async function runIn({ client }: ServerProcess, agent: string, session: string) {
  const answer = await client.get(`/agents/${agent}/runs?session_id=${session}`).catch(() => undefined);
  return answer?.body[0];
}

async function expectService({ client }: ServerProcess): Promise<void> {
  expect((await client.get("/health")).status).toBe(200);
  const { status, body } = await client.post("/agents/talker/runs", { message: '{"deltas":1}', stream: false });
  expect([status, body.status]).toEqual([200, "COMPLETED"]);
}

test.concurrent.each(databaseKinds)(
  "a run that kills every process that claims it ends as ERROR after maxStalledTakeovers, and the next process serves on %s",
  async (kind) => {
    await using database = await openDatabaseOf(kind);
    const first = await start(database);
    const deadly = { message: "die", session_id: "deadly", background: true, stream: false };
    await first.client.post("/agents/deadly/runs", deadly).catch(() => undefined);
    expect((await first.exited).signal).toBe("SIGKILL");

    for (let starts = 0; ; starts++) {
      expect(starts).toBeLessThan(settings.maxStalledTakeovers);
      await using next = await start(database);
      let run = await runIn(next, "deadly", "deadly");
      const isOver = next.exited.then(() => true);
      while (run && run.status !== "ERROR" && !(await Promise.race([isOver, sleep(100, false)]))) {
        run = await runIn(next, "deadly", "deadly");
      }
      if (run?.status !== "ERROR") continue;
      expect(run.error_type).toBe("too_many_takeovers");
      await expectService(next);
      return;
    }
  },
);

/** A schema whose 2 to the power of 40 parts would keep a process busy until its memory is full. */
function doubling(): string {
  const levels = Array.from({ length: 40 }, (_, level) => {
    const next = { $ref: `#/$defs/d${level + 1}` };
    return [`d${level}`, { anyOf: [next, next] }];
  });
  return JSON.stringify({ $ref: "#/$defs/d0", $defs: { ...Object.fromEntries(levels), d40: { type: "string" } } });
}

test.concurrent.each(databaseKinds)(
  "a stored run with an output schema above the bounds ends as ERROR, and the process serves on %s",
  async (kind) => {
    await using database = await openDatabaseOf(kind);
    const first = await start(database);
    const form = { message: '{"deltas":1,"wait":600000}', session_id: "poisoned", background: true, stream: false };
    const outputSchema = '{"title":"Harmless"}';
    expect((await first.client.post("/agents/talker/runs", { ...form, output_schema: outputSchema })).status).toBe(202);
    await eventually(async () => expect((await runIn(first, "talker", "poisoned"))?.status).toBe("RUNNING"));
    await first.crash();
    await executeSql(database, `update runs set options = replace(options, '${outputSchema}', '${doubling()}')`);

    await using next = await start(database);
    await expectService(next);
    const ended = await eventually(async () => {
      const run = await runIn(next, "talker", "poisoned");
      expect(run?.status).toBe("ERROR");
      return run;
    });
    expect(ended.error_type).toBe("invalid_output_schema");
  },
);
