/** More runs at once than the heap holds: the process survives, rejects starts, and recovers runs after a crash a few at a time. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { openDatabaseOf } from "../support/databases.ts";
import { lossesOfReader, noLosses } from "../support/losses.ts";
import { type ServerProcess, startServerProcess } from "../support/server-process.ts";
import type { EventStream } from "../support/stream-client.ts";

vi.setConfig({ testTimeout: 300_000 });

const heap = { env: { NODE_OPTIONS: "--max-old-space-size=256" } };
const order = { deltas: 300, size: 1_000, delay: 1 };
const component = "agents/talker";

/** Starts a run, and retries a 503 after `Retry-After`. */
async function startWithRetries({ client }: ServerProcess, refusals: unknown[]): Promise<EventStream> {
  for (;;) {
    const stream = await client.stream(`/${component}/runs`, { message: JSON.stringify(order) });
    if (stream.status === 200) return stream;
    refusals.push(stream.status);
    expect(stream.status).toBe(503);
    await sleep(Number(stream.headers["retry-after"]) * 1_000);
  }
}

test("with a heap of 256 MiB, 200 streams of 300 events of 1 kB complete, also those that another process recovers after kill -9", async () => {
  await using database = await openDatabaseOf("sqlite");
  const first = await startServerProcess(database, {}, heap);
  const refusals: unknown[] = [];
  const started: EventStream[] = [];
  const starting = Array.from({ length: 200 }, () =>
    startWithRetries(first, refusals)
      .then((stream) => started.push(stream))
      .catch(() => undefined),
  );
  // A process without a memory bound has run out of heap by now, or is about to.
  while (!started.some(({ isClosed }) => isClosed)) await sleep(100);
  const hasEnded = await Promise.race([first.exited.then(() => true), sleep(0, false)]);
  expect(hasEnded, first.output.slice(-2_000)).toBe(false);
  await first.crash();
  await Promise.all(starting);

  await using second = await startServerProcess(database, {}, heap);
  const broken = started.filter(({ ending }) => !ending);
  const more = Array.from({ length: 200 - started.length }, () => startWithRetries(second, refusals));
  const rests = await Promise.all(broken.map(({ runId, cursor }) => second.client.resume(component, runId, cursor)));
  const streams = [...rests, ...(await Promise.all(more))];
  await Promise.all(streams.map(({ closed }) => closed));
  const endings = [...started, ...streams].flatMap(({ frames }) => frames.map(({ event }) => event)).filter(isEnding);
  expect(endings).toEqual(Array.from({ length: 200 }, () => "RunCompleted"));
  for (const [place, shown] of broken.slice(0, 3).entries()) {
    const log = await second.client.log(component, shown.runId);
    expect(lossesOfReader(log, [...shown.events, ...(rests[place]?.events ?? [])])).toEqual(noLosses);
  }
});

function isEnding(event: string | undefined): boolean {
  return /^Run(Completed|Error|Cancelled)$/.test(event ?? "");
}
