/** The bound on the live runs of a process, and each user's share of it. */
import { expect, test } from "vitest";
import { defineAgent } from "../../src/define/agent.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { eachDatabase } from "../support/databases.ts";
import { openServer } from "../support/open-server.ts";

eachDatabase("live runs", (openDatabase) => {
  test("a user above the share gets 429, other users' runs start, and the user can start again after a run ends", async () => {
    const slow = scriptedModel(() => ({ text: "Done.", wait: 600_000 }));
    await using server = await openServer(await openDatabase(), {
      agents: [defineAgent({ id: "slow", model: slow })],
      settings: { maxLiveRuns: 8, maxBackgroundRuns: 1 },
    });
    const { client } = server;
    const start = (user: string | undefined, fields = {}) =>
      client.stream("/agents/slow/runs", { message: "go", ...(user && { user_id: user }), ...fields });
    const statuses = async (user: string | undefined, starts: number): Promise<number[]> => {
      const streams = [];
      for (let n = 0; n < starts; n++) streams.push(await start(user));
      return streams.map(({ status }) => status);
    };
    const first = await start("a");
    expect(await statuses("a", 3)).toEqual([200, 200, 200]);
    const refused = await start("a");
    expect([refused.status, refused.headers["retry-after"]]).toEqual([429, "5"]);
    expect(await statuses("b", 3)).toEqual([200, 200, 429]);
    expect(await statuses(undefined, 1)).toEqual([200]);
    // A background run waits for a slot: the shares of the queue apply to it, not the shares of live runs.
    expect((await start("a", { background: true, stream: false })).status).toBe(202);
    await client.cancel("agents/slow", first.runId);
    await first.closed;
    expect(await statuses("c", 1)).toEqual([200]);
    expect((await statuses(undefined, 3)).at(-1)).toBe(503);
  });
});
