/** A session of 1,000 runs: each run costs as much as the first ones. */
import { expect, test } from "vitest";
import { defineAgent } from "../../src/define/agent.ts";
import { open } from "../../src/model/principal.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { eachDatabase } from "../support/databases.ts";
import { openServer } from "../support/open-server.ts";

const runs = 1_000;
/** Runs that are measured together: a multiple of the runs between two summaries. */
const span = 50;

eachDatabase("a session of 1,000 runs", (openDatabase) => {
  test("has a summary, and the last runs read as many rows and send as long a prompt as the first ones", async () => {
    const prompts: number[] = [];
    const model = scriptedModel(({ system, prompt }) => {
      if (system.startsWith("You keep the summary")) return "The user counts. The user's name is Ada.";
      prompts.push(JSON.stringify(prompt).length);
      return { text: "A short answer.", usage: { input: 10, output: 5 } };
    });
    const agent = defineAgent({ id: "counter", model, history: { runs: 5, summary: true } });
    await using server = await openServer(await openDatabase(), { agents: [agent] });
    const { store } = server;
    const read: number[] = [];
    const { history } = store;
    Object.assign(store, {
      async history(...given: Parameters<typeof history>) {
        const rows = await history(...given);
        read.push(rows.length);
        return rows;
      },
    });
    const spans: { readonly cpu: number; readonly rows: number; readonly reads: number; readonly prompt: number }[] =
      [];
    for (let run = 0; run < runs; run += span) {
      const before = process.cpuUsage();
      read.length = prompts.length = 0;
      for (let each = 0; each < span; each++) {
        const stream = await server.client.start("agents/counter", 100_000 + run + each, { session_id: "long" });
        expect(await stream.closed).toBe("ended");
        expect(stream.ending?.event).toBe("RunCompleted");
      }
      const { user, system } = process.cpuUsage(before);
      const rows = read.reduce((sum, count) => sum + count, 0);
      spans.push({ cpu: (user + system) / 1_000 / span, rows, reads: read.length, prompt: Math.max(...prompts) });
    }
    const [, second, ...others] = spans;
    // The first span has no summary at its beginning.
    for (const { cpu: _, ...counts } of others) expect(counts).toEqual({ ...second, cpu: undefined });
    const row = await store.findSession(open, "long");
    expect(JSON.parse(row?.summary ?? "{}").summary).toContain("Ada");
    const milliseconds = spans.map(({ cpu }) => cpu.toFixed(1)).join(" ");
    console.log(`CPU milliseconds per run, by ${span} runs: ${milliseconds}`);
  });
});
