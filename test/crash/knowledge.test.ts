/** A run that is taken over sends the same documents to the model, and does not search a second time. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test, vi } from "vitest";
import { createDataDir, databaseKinds, openDatabaseOf } from "../support/databases.ts";
import { eventually } from "../support/eventually.ts";
import { startServerProcess } from "../support/server-process.ts";

vi.setConfig({ testTimeout: 240_000 });

const app = fileURLToPath(new URL("./knowledge-app.ts", import.meta.url));
const settings = { leaseDuration: 3_000, leaseRenewInterval: 500, sweepInterval: 500 };

test.for(databaseKinds)(
  "after kill -9 during a model request on %s, the next attempt sends the same prompt, and its answer cites it",
  async (kind) => {
    await using database = await openDatabaseOf(kind);
    const folder = await createDataDir();
    const env = { NOTES: join(folder.path, "notes") };
    const notes = async (wanted: string): Promise<readonly unknown[]> =>
      (await readFile(env.NOTES, "utf8").catch(() => ""))
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line) as [string, unknown])
        .flatMap(([noted, value]) => (noted === wanted ? [value] : []));
    await using first = await startServerProcess(database, settings, { app, env: { ...env, HANG: "1" } });
    const text = "A client resumes a stream by its cursor, and misses nothing.";
    const { body: added } = await first.client.post("/knowledge/content", { name: "Runs", text_content: text });
    await eventually(async () => {
      expect((await first.client.get(`/knowledge/content/${added.id}/status`)).body.status).toBe("completed");
    });
    const fields = { message: "How does a client resume?", stream: false, background: true };
    const runs = await Promise.all(
      ["always", "tool"].map(async (agent) => {
        const { body } = await first.client.post(`/agents/${agent}/runs`, fields);
        return `/agents/${agent}/runs/${body.run_id}?session_id=${body.session_id}`;
      }),
    );
    await eventually(async () => expect(await notes("prompt")).toHaveLength(2));
    await first.crash();
    const before = (await notes("prompt")).map((prompt) => JSON.stringify(prompt)).sort();
    await using second = await startServerProcess(database, settings, { app, env });
    for (const path of runs) {
      await eventually(async () => {
        const { body } = await second.client.get(path);
        expect(body).toMatchObject({ status: "COMPLETED", content: "true [1]" });
        expect(body.citations.documents).toMatchObject([{ source: 1, document_title: "Runs", content_id: added.id }]);
        expect(body.references).toHaveLength(1);
      });
    }
    const after = (await notes("prompt")).slice(2).map((prompt) => JSON.stringify(prompt));
    expect(after.sort()).toEqual(before);
    expect(await notes("search")).toHaveLength(2);
    await folder.remove();
  },
);
