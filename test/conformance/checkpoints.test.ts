/** Checkpoints: a run as it was at each of its durable steps. */
import { expect, test } from "vitest";
import { asRead } from "./support/answers.ts";
import { eachServer } from "./support/server.ts";

eachServer("the checkpoints of a run", (client) => {
  const path = "/agents/tool-agent/runs";

  test("exist after each model turn and after its last tool result, and their snapshots contain the messages up to there", async () => {
    const { json: run } = await client().post(path, { message: "weather", stream: false, session_id: "c1" });
    const one = `${path}/${run.run_id}/checkpoints`;
    const { status, json } = await client().get(`${one}?session_id=c1`);
    expect([status, json.run_id, json.session_id]).toEqual([200, run.run_id, "c1"]);
    const shown = json.checkpoints.map((point: Record<string, unknown>) => [
      ...[point.checkpoint_id, point.message_index, point.message_role, point.reason, point.is_latest],
    ]);
    expect(shown).toEqual([
      ["1", 3, "tool", "checkpoint", false],
      ["2", 4, "assistant", "end", true],
    ]);
    expect(json.checkpoints[1]).toMatchObject({
      ...{ continue_from: 4, status: "COMPLETED", message_preview: "Tool said: Sunny in Paris" },
      ...{ message_id: run.messages[3].id, created_at: expect.any(Number) },
    });
    for (const [index, count] of [
      [0, 0],
      [2, 2],
      [4, 4],
    ] as const) {
      const { json: at } = await client().get(`${one}/${index}?session_id=c1`);
      expect(at.snapshot).toEqual({
        ...asRead(run),
        messages: run.messages.slice(0, count),
        last_checkpoint_at_message_index: index,
      });
      expect(at.checkpoint).toMatchObject({ message_index: index, reason: "snapshot", checkpoint_id: null });
    }
  });

  test("return 400 for an index beyond the messages, 422 for an invalid index or a missing session, and 404 for an unknown run", async () => {
    const { json: run } = await client().post(path, { message: "hello", stream: false, session_id: "c2" });
    const at = async (index: string, query = "session_id=c2") =>
      client().get(`${path}/${run.run_id}/checkpoints/${index}?${query}`);
    for (const index of ["3", "99", "-1"]) {
      const { status, json } = await at(index);
      expect([status, json.detail]).toEqual([400, "message_index must be between 0 and 2"]);
    }
    expect((await at("abc")).status).toBe(422);
    expect((await at("1", "")).status).toBe(422);
    expect((await at("1", "session_id=other")).status).toBe(404);
    expect((await client().get(`${path}/nope/checkpoints?session_id=c2`)).status).toBe(404);
  });
});
