/** Readers of one live run that reconnect very often. */
import { expect, test, vi } from "vitest";
import { defineAgent } from "../../src/define/agent.ts";
import { defineTeam } from "../../src/define/team.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { databaseKinds, openDatabaseOf } from "../support/databases.ts";
import { lossesOfReader, noLosses } from "../support/losses.ts";
import { openServer } from "../support/open-server.ts";
import type { EventStream, Frame, StreamClient } from "../support/stream-client.ts";

vi.setConfig({ testTimeout: 180_000 });

const wanted = 200;

/** Members emit text, round after round, until the readers have reconnected often enough. */
function newsroom(isEnough: () => boolean) {
  const words = Array.from({ length: 15 }, (_, place) => `wörd${place} `);
  const member = (id: string) =>
    defineAgent({ id, model: scriptedModel(() => ({ text: words, delay: () => Math.random() * 4 })) });
  const delegation = (member_id: string, round: number) => ({
    name: "delegate_task_to_member",
    input: { member_id, task: `Round ${round}` },
  });
  const leader = scriptedModel(({ number }) => {
    if (isEnough()) return { text: ["That ", "is ", "all."], delay: 2 };
    return { text: `Round ${number}.`, toolCalls: ["east", "west"].map((id) => delegation(id, number)) };
  });
  const members = [member("east"), member("west")];
  return defineTeam({ id: "newsroom", model: leader, members, maxSteps: 10_000 });
}

/** Checks the meta frames of one connection. */
function faultsOf(stream: EventStream, requested: number, byHeader: boolean): string[] {
  const { metas, events, frames } = stream;
  const names = metas.map(({ event }) => event).join();
  const faults: string[] = [];
  const [first] = metas;
  if (first?.event === "catch_up") {
    const { missed_events, current_event_count } = first.data;
    if (missed_events !== current_event_count - requested - 1) faults.push(`${names}: ${JSON.stringify(first.data)}`);
    if (frames[0] !== first) faults.push("catch_up is not the first frame");
    const subscribed = frames.find(({ event }) => event === "subscribed");
    if (subscribed) {
      const before = frames[frames.indexOf(subscribed) - 1];
      if (before?.id !== current_event_count - 1) faults.push(`subscribed stands after event ${before?.id}`);
    } else if (events.length > missed_events) faults.push("subscribed is missing");
  } else if (first?.event === "subscribed") {
    if (first.data.current_event_count > requested + 1)
      faults.push(`nothing was caught up: ${JSON.stringify(first.data)}`);
  } else if (first?.event === "replay") {
    const { total_events, total_buffered, last_event_index_requested } = first.data;
    if (total_events !== total_buffered - requested - 1 || last_event_index_requested !== requested)
      faults.push(`replay: ${JSON.stringify(first.data)}`);
  } else if (frames.length > 0) faults.push(`no meta frame before ${frames[0]?.raw}${byHeader ? " (by header)" : ""}`);
  if (metas.length > 2) faults.push(`meta frames: ${names}`);
  return faults;
}

/** A reader that disconnects after a random number of frames and resumes, until it has received the end. */
async function readWithDrops(
  client: StreamClient,
  runId: string,
  told: { reconnects: number },
): Promise<{ seen: Frame[]; faults: string[] }> {
  const seen: Frame[] = [];
  const faults: string[] = [];
  let cursor = -1;
  for (let connection = 0; ; connection++) {
    const byHeader = connection % 3 === 2;
    const stream = byHeader
      ? await client.resume("teams/newsroom", runId, undefined, { "last-event-id": String(cursor) })
      : await client.resume("teams/newsroom", runId, cursor);
    let left = Math.floor(Math.random() * 12);
    await stream.next(() => left-- <= 0);
    stream.cut();
    await stream.closed;
    told.reconnects++;
    faults.push(...faultsOf(stream, cursor, byHeader));
    seen.push(...stream.events);
    cursor = Math.max(cursor, stream.cursor);
    if (stream.ending) return { seen, faults };
  }
}

const variants = databaseKinds.flatMap((kind) => [
  [kind, "mostly from the process's memory", {}] as const,
  [kind, "mostly from the database", { maxRingBytes: 1_000 }] as const,
]);

test.concurrent.each(variants)(
  "readers that reconnect over 200 times to a live team run get exactly its log, on %s, %s [L3]",
  async (kind, _, settings) => {
    await using database = await openDatabaseOf(kind);
    const told = { reconnects: 0 };
    const hosted = { teams: [newsroom(() => told.reconnects >= wanted)], settings };
    await using server = await openServer(database, hosted);
    const { client } = server;
    const steady = await client.start("teams/newsroom", "begin");
    const { runId } = steady;
    const readers = await Promise.all(Array.from({ length: 4 }, () => readWithDrops(client, runId, told)));
    await steady.closed;

    const log = await client.log("teams/newsroom", runId);
    expect(told.reconnects).toBeGreaterThanOrEqual(wanted);
    expect(new Set(log.map(({ data }) => data.run_id)).size).toBeGreaterThan(5);
    expect(log.at(-1)?.event).toBe("TeamRunCompleted");
    expect(lossesOfReader(log, steady.events)).toEqual(noLosses);
    for (const { seen, faults } of readers) {
      expect(faults).toEqual([]);
      expect(lossesOfReader(log, seen)).toEqual(noLosses);
      expect(seen.map(({ id }) => id)).toEqual(log.map(({ id }) => id));
    }
  },
);
