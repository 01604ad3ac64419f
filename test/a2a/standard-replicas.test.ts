/** Tasks on several processes and after a restart: every stream has the same bytes. */
import { expect, test } from "vitest";
import { eachDatabase, openDatabaseOf } from "../support/databases.ts";
import { openServer } from "../support/open-server.ts";
import { desk, receiver } from "./support/desk.ts";
import { Raw, said10 } from "./support/raw.ts";

const rawOf = (server: { client: { address: URL } }): Raw => new Raw(() => server.client.address.origin);

eachDatabase("after a restart", (openDatabase) => {
  test("a stream continues after the client's last frame with the same bytes as before", async () => {
    const database = await openDatabase();
    let id = "";
    let before: string[] = [];
    {
      await using server = await openServer(database, desk());
      const frames = await rawOf(server).callFrames("SendStreamingMessage", said10("slow"));
      id = frames[0]!.data.result.task.id;
      before = frames.slice(1).map(({ text }) => text);
    }
    await using server = await openServer(database, desk());
    for (const place of [0, 3, before.length - 2]) {
      const cursor = /^id: (\S+)/m.exec(before[place]!)?.[1] ?? "";
      const raw = rawOf(server).with({ "Last-Event-ID": cursor });
      const rest = await raw.callFrames("SubscribeToTask", { id });
      expect(rest.map(({ text }) => text)).toEqual(before.slice(place + 1));
    }
    const { json } = await rawOf(server).call("GetTask", { id });
    expect(json.result.status.state).toBe("TASK_STATE_COMPLETED");
  });
});

test("another process streams, lists and cancels a task, with the same bytes, and its target is notified", async () => {
  await using database = await openDatabaseOf("postgres");
  await using one = await openServer(database, desk());
  await using other = await openServer(database, desk());
  const { url, got } = await receiver();
  const configuration = { taskPushNotificationConfig: { url } };
  const begun = await rawOf(one).callFrames("SendStreamingMessage", said10("endless", {}, configuration), undefined, 4);
  const { id } = begun[0]!.data.result.task;
  const cursor = begun.at(-1)!.id!;
  const here = rawOf(one).with({ "Last-Event-ID": cursor }).callFrames("SubscribeToTask", { id });
  const there = rawOf(other).with({ "Last-Event-ID": cursor }).callFrames("SubscribeToTask", { id });
  expect((await rawOf(other).call("ListTasks", {})).json.result.tasks[0].id).toBe(id);
  const cancelled = await rawOf(other).call("CancelTask", { id });
  expect(cancelled.json.result.status.state).toBe("TASK_STATE_CANCELED");
  const texts = (await there).map(({ text }) => text);
  expect(texts).toEqual((await here).map(({ text }) => text));
  expect(texts.at(-1)).toContain("TASK_STATE_CANCELED");
  await expect.poll(() => got.at(-1)?.text).toContain("TASK_STATE_CANCELED");
});

test("a push config added at another process gets its notifications without waiting for a sweep", async () => {
  await using database = await openDatabaseOf("postgres");
  const never = { pushSweepInterval: 600_000, followPollInterval: 600_000 };
  await using one = await openServer(database, desk({}, { settings: never }));
  await using other = await openServer(database, desk({}, { settings: never }));
  const start = async (text: string): Promise<string> => {
    return (await rawOf(one).callFrames("SendStreamingMessage", said10(text), undefined, 2))[0]!.data.result.task.id;
  };
  // Frames of a stream that never polls show that signals of the other process arrive.
  await rawOf(other).callFrames("SubscribeToTask", { id: await start("endless") }, undefined, 10);
  const id = await start("slow");
  const { url, got } = await receiver();
  await rawOf(other).call("tasks/pushNotificationConfig/set", { taskId: id, pushNotificationConfig: { url } });
  await expect.poll(() => got.at(-1)?.body.status?.state).toBe("completed");
});
