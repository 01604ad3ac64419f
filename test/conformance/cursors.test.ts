import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { repetitions } from "../support/repetitions.ts";
import type { Client, EventStream, Fields } from "./support/client.ts";
import { type Frame, rawEvents } from "./support/frames.ts";
import { conformancePlatform } from "./support/platform.ts";
import { eachServer } from "./support/server.ts";

const path = "/teams/duo-team/runs";

/** A reader that disconnects after each given number of events and resumes with the last index that it received. */
async function readWithDrops(
  client: Client,
  stream: EventStream,
  drops: readonly number[],
  byHeader: boolean,
): Promise<Frame[]> {
  const events: Frame[] = [];
  let current = stream;
  for (const drop of [...drops, Number.POSITIVE_INFINITY]) {
    await current.untilEvents(drop);
    // Frames that arrived before the cut count as received; a partial frame does not.
    events.push(...current.events);
    if (drop === Number.POSITIVE_INFINITY) return events;
    current.cut();
    const last = events.at(-1)?.id;
    const fields: Fields = byHeader || last === undefined ? {} : { last_event_index: last };
    const headers = byHeader && last !== undefined ? { "last-event-id": last } : {};
    current = await client.stream(`${path}/${stream.runId}/resume`, fields, headers as Record<string, string>);
  }
  return events;
}

const schedules = fc.array(fc.integer({ min: 0, max: 25 }), { maxLength: 6 });

describe.each([
  { where: "memory", settings: {} },
  { where: "the database", settings: { maxRingBytes: 1, maxTotalRingBytes: 1, followPollInterval: 20 } },
])("any sequence of disconnects and resumes yields exactly the log, from $where", ({ settings }) => {
  eachServer(
    "[P5] [R6] [R20] [V4]",
    (client) => {
      test("of a completed run", async () => {
        const first = await client().stream(path, {
          message: "delegate and say a good many words, one after the other",
        });
        await first.all();
        const log = rawEvents(first.frames);
        await fc.assert(
          fc.asyncProperty(schedules, fc.boolean(), async (drops, byHeader) => {
            const again = await client().stream(`${path}/${first.runId}/resume`);
            expect(rawEvents(await readWithDrops(client(), again, drops, byHeader))).toEqual(log);
          }),
          { numRuns: repetitions(40) },
        );
      });

      test("of a running run", async () => {
        const steady = await client().stream(path, { message: "slow please" });
        await steady.untilEvents(1);
        const readers = fc.sample(fc.tuple(schedules, fc.boolean()), 30).map(async ([drops, byHeader]) => {
          const stream = await client().stream(`${path}/${steady.runId}/resume`);
          return rawEvents(await readWithDrops(client(), stream, drops, byHeader));
        });
        await steady.all();
        const log = rawEvents(steady.frames);
        expect(log.length).toBeGreaterThan(30);
        for (const events of await Promise.all(readers)) expect(events).toEqual(log);
      });

      test("[L1] event indices of every run count from 0 without a gap, whichever way the run started", async () => {
        for (const fields of [{}, { background: true }, { stream: false, background: true }, { stream: false }]) {
          const { headers } = await client().post(path, { message: "delegate hello", ...fields });
          const log = await client().stream(`${path}/${headers["x-run-id"]}/resume`);
          await log.all();
          expect(log.events.map(({ data }) => data.event_index)).toEqual(log.events.map((_, place) => place));
          expect(log.events.length).toBeGreaterThan(10);
        }
      });
    },
    () => conformancePlatform(settings),
  );
});
