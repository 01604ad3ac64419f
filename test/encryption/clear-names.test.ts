/** Ids that users choose are stored clear. One that begins as an encrypted text does is a text like any other. */
import { expect, test } from "vitest";
import { defineAgent } from "../../src/define/agent.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { eachDatabase } from "../support/databases.ts";
import { openServer } from "../support/open-server.ts";
import { keysOf } from "./stored.ts";

/** Not base64, a number of no column, and headers of `sessions.name`, `runs.input` and `schedules.payload`. */
const names = ["~e1.", "~e1.x y", "~e1.////", ...[1, 6, 19].map((code) => headed(code))];

function headed(code: number): string {
  return `~e1.${Buffer.from([code, ...Buffer.alloc(60, 1)]).toString("base64")}`;
}

eachDatabase("an encrypted database", (openDatabase) => {
  test("serves runs and sessions whose ids look encrypted", async () => {
    const agent = defineAgent({
      id: "agent-1",
      model: scriptedModel(() => ({ text: "Hello." })),
      sessionPolicy: "parallel",
    });
    await using server = await openServer(await openDatabase(), {
      agents: [agent],
      encryption: { keyProvider: keysOf("k1") },
    });
    const { client } = server;
    for (const name of names) {
      const started = { message: "Hi", stream: false, session_id: name, user_id: name };
      expect([name, (await client.post("/agents/agent-1/runs", started)).body]).toMatchObject([
        name,
        { status: "COMPLETED", session_id: name },
      ]);
    }
    for (const path of ["/sessions", "/traces", "/runs"])
      expect([path, (await client.get(`${path}?limit=50`)).status]).toEqual([path, 200]);
    for (const name of names)
      expect((await client.get(`/sessions/${encodeURIComponent(name)}`)).body).toMatchObject({ session_id: name });
  });
});
