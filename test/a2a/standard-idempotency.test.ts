/** Repeated messages with an Idempotency-Key on the standard endpoints: one task, one answer. */
import { expect, test } from "vitest";
import { eachDatabase } from "../support/databases.ts";
import { openServer } from "../support/open-server.ts";
import { desk } from "./support/desk.ts";
import { Raw, said03, said10 } from "./support/raw.ts";

eachDatabase("a message with an Idempotency-Key", (openDatabase) => {
  test("creates one task and returns one answer when repeated, over both bindings; another message under the key is rejected", async () => {
    await using server = await openServer(await openDatabase(), desk());
    const raw = new Raw(() => server.client.address.origin);
    const keyed = (key: string): Raw => raw.with({ "idempotency-key": key });

    const message = said03("in pieces");
    const first = await keyed("a").call("message/send", message);
    const second = await keyed("a").call("message/send", message);
    expect(second.json.result.id).toBe(first.json.result.id);
    expect([first, second].map(({ headers }) => headers.get("idempotency-replayed"))).toEqual([null, "true"]);
    const other = await keyed("a").call("message/send", said03("something else"));
    expect(other.json.error.code).toBe(-32602);

    const streamed = said10("in pieces");
    const body = { jsonrpc: "2.0", id: 1, method: "SendStreamingMessage", params: streamed };
    const once = await keyed("b").frames("POST", "/a2a/agents/clerk", body);
    const twice = await keyed("b").frames("POST", "/a2a/agents/clerk", body);
    // The stream begins with the current task, which has ended by now.
    expect(twice.slice(1)).toEqual(once.slice(1));
    expect(twice[0]?.data.result.task.status.state).toBe("TASK_STATE_COMPLETED");

    const plain = await Promise.all(
      [1, 2].map(() =>
        keyed("c").ask("POST", "/a2a/agents/clerk/rest/message:send", said10("hello", { messageId: "m" })),
      ),
    );
    expect(new Set(plain.map(({ json }) => json.task.id)).size).toBe(1);

    const { result } = (await raw.call("SendMessage", said10("approve"))).json;
    const yes = said10("yes", { taskId: result.task.id });
    for (const _ of [1, 2]) {
      const { json } = await keyed("d").call("SendMessage", yes);
      expect(json.result.task.status.state).toBe("TASK_STATE_COMPLETED");
    }
    expect((await raw.call("SendMessage", yes)).json.error.code).toBe(-32004);
    expect((await raw.call("ListTasks", {})).json.result.totalSize).toBe(4);
  });
});
