/** A2A: a message to a task at work goes into its run. */
import { expect, test } from "vitest";
import { desk } from "../a2a/support/desk.ts";
import { Raw, said03, said10 } from "../a2a/support/raw.ts";
import { eachDatabase } from "../support/databases.ts";
import { eventually } from "../support/eventually.ts";
import { openServer } from "../support/open-server.ts";

eachDatabase("an A2A message to a task at work", (openDatabase) => {
  test("goes into its run once for its id; workflows and files are rejected", async () => {
    await using server = await openServer(await openDatabase(), desk());
    const raw = new Raw(() => server.client.address.origin);
    const path = "/a2a/agents/clerk";
    const began = await raw.call("SendMessage", said10("slow", {}, { returnImmediately: true }), path);
    const { id: taskId } = began.json.result.task;
    const said = said10("and this", { taskId }, { returnImmediately: true });
    await eventually(async () => {
      const { json } = await raw.call("SendMessage", said, path);
      expect(json.error).toBeUndefined();
    });
    const again = await raw.call("SendMessage", said, path);
    expect(again.json.error).toBeUndefined();
    const file = { kind: "file", file: { name: "a.txt", mimeType: "text/plain", bytes: "aGk=" } };
    const withFile = said03("x", { taskId, parts: [file] });
    expect((await raw.call("message/send", withFile, path)).json.error).toBeDefined();
    const frames = await server.client.log("agents/clerk", taskId);
    const messages = frames.filter(({ event }) => event === "RunMessage").map(({ data }) => data.content);
    expect(messages).toEqual(["and this"]);
    const { json } = await raw.call("GetTask", { id: taskId }, path);
    expect(json.result.status.state).toBe("TASK_STATE_COMPLETED");
    expect(JSON.stringify(json.result.artifacts)).toContain("You said: and this");
  });
});
