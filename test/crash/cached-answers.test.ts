/** kill -9 around the storage of an answer for equal requests: a stored answer is not lost, and is not requested again. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test, vi } from "vitest";
import { createDataDir, databaseKinds, openDatabaseOf } from "../support/databases.ts";
import { lossesOfReader, noLosses } from "../support/losses.ts";
import { startServerProcess } from "../support/server-process.ts";
import type { CrashPoint } from "./points/points.ts";

// Every kill needs the start of another process.
vi.setConfig({ testTimeout: 300_000 });

const app = fileURLToPath(new URL("./cached-app.ts", import.meta.url));
const preload = fileURLToPath(new URL("./points/preload.ts", import.meta.url));
const settings = { leaseDuration: 1_500, leaseRenewInterval: 300, sweepInterval: 200, shutdownTimeout: 100 };

/** Where the process dies, and the requests that the run takes: an answer that is stored nowhere is requested again. */
const deaths = [
  { step: "answer stored", moment: "within", requests: 2 },
  { step: "answer stored", moment: "after", requests: 1 },
  { step: "last turn", moment: "within", requests: 1 },
  { step: "last turn", moment: "after", requests: 1 },
] as const satisfies readonly (Omit<CrashPoint, "session"> & { readonly requests: number })[];

test.for(databaseKinds)(
  "on %s, a run that is killed around the storage of its answer has the stored answer, and so has an equal request",
  async (kind) => {
    await using database = await openDatabaseOf(kind);
    const folder = await createDataDir();
    // On Postgres, another commit is killed only around the store of answers.
    const some = kind === "sqlite" ? deaths : deaths.slice(0, 2);
    for (const [number, { requests, ...death }] of some.entries()) {
      const file = join(folder.path, `requests-${number}`);
      const session = `session-${number}`;
      const env = (crash: CrashPoint | null) => ({ TEST_CRASH_POINT: JSON.stringify(crash), TEST_EFFECTS: file });
      const first = await startServerProcess(database, settings, { app, preload, env: env({ session, ...death }) });
      const fields = { message: `Question ${number}`, user_id: "ada" };
      const seen = await first.client.stream("/agents/asked/runs", { ...fields, session_id: session });
      expect({ death, signal: (await first.exited)?.signal }).toEqual({ death, signal: "SIGKILL" });
      await seen.closed;

      const second = await startServerProcess(database, settings, { app, preload, env: env(null) });
      const { body: runs } = await second.client.get(`/agents/asked/runs?session_id=${session}`);
      const [{ run_id: runId }] = runs;
      const cursor = { last_event_index: seen.cursor ?? -1, follow: true };
      const rest = await second.client.stream(`/agents/asked/runs/${runId}/resume`, cursor);
      await rest.closed;
      const log = await second.client.log("agents/asked", runId);
      expect({ death, losses: lossesOfReader(log, [...seen.events, ...rest.events]) }).toEqual({
        death,
        losses: noLosses,
      });
      const content = `Answer number ${requests}`;
      const record = await second.client.record("agents/asked", { runId, sessionId: session });
      expect({ death, record }).toMatchObject({ death, record: { status: "COMPLETED", content } });
      const made = async (): Promise<number> => (await readFile(file, "utf8")).trim().split("\n").length;
      expect({ death, made: await made() }).toEqual({ death, made: requests });

      const again = await second.client.stream("/agents/asked/runs", { ...fields, session_id: `${session}-again` });
      await again.closed;
      expect({ death, ending: again.ending?.data }).toMatchObject({
        death,
        ending: { event: "RunCompleted", content },
      });
      expect({ death, made: await made() }).toEqual({ death, made: requests });
      await second.crash();
    }
    await folder.remove();
  },
);
