/** kill -9 of a gateway while another server executes members of its team and steps of its workflow. */
import { fileURLToPath } from "node:url";
import { expect, test, vi } from "vitest";
import { databaseKinds, openDatabaseOf } from "../support/databases.ts";
import { lossesOfLog, noLosses } from "../support/losses.ts";
import { startServerProcess } from "../support/server-process.ts";
import type { EventStream } from "../support/stream-client.ts";

vi.setConfig({ testTimeout: 180_000 });

const app = fileURLToPath(new URL("./remote-app.ts", import.meta.url));
const settings = { leaseDuration: 2_000, leaseRenewInterval: 400, sweepInterval: 300 };
const order = { deltas: 400, delay: 30 };
const hasEvents = ({ events }: EventStream): boolean => events.length > 0;
const answer = Array.from({ length: order.deltas }, (_, place) => `${place} `).join("");

test.concurrent.each(databaseKinds)(
  "after two kill -9 of the gateway on %s, received events are stored, remote events occur once, and the remote server ran each part once [L2] [L3]",
  async (kind) => {
    await using upstreamDatabase = await openDatabaseOf(kind);
    await using upstream = await startServerProcess(upstreamDatabase, settings);
    await using database = await openDatabaseOf(kind);
    const env = { TEST_UPSTREAM: upstream.client.address.origin };
    const open = () => startServerProcess(database, settings, { app, env });

    let server = await open();
    const components = ["teams/desk", "workflows/flow"];
    const shown = await Promise.all(components.map((path) => server.client.start(path, order, { session_id: path })));
    const runIds = shown.map(({ runId }) => runId);
    const seen = shown.map((stream) => [stream]);
    for (const more of [60, 20]) {
      await Promise.all(seen.map((streams) => streams.at(-1)!.until(more)));
      await server.crash();
      server = await open();
      for (const [place, streams] of seen.entries())
        streams.push(
          await server.client.resume(components[place]!, runIds[place]!, streams.findLast(hasEvents)?.cursor),
        );
    }
    await Promise.all(seen.map((streams) => streams.at(-1)!.closed));
    // One run may have ended while the test waited for the other.
    expect(seen.map((streams) => streams.findLast(hasEvents)?.events.at(-1)?.event)).toEqual([
      "TeamRunCompleted",
      "WorkflowCompleted",
    ]);

    for (const [place, streams] of seen.entries()) {
      const log = await server.client.log(components[place]!, runIds[place]!);
      expect(
        lossesOfLog(
          log,
          streams.flatMap(({ events }) => events),
        ),
      ).toEqual(noLosses);
      const relayed = log.flatMap(({ data }) => (data.agent_id === "far" && data.relayed ? [data] : []));
      expect(relayed.map((data) => data.relayed.event_index)).toEqual(relayed.map((_, index) => index));
      const text = relayed.filter(({ event }) => event === "RunContent").map(({ content }) => content);
      expect(text.join("")).toBe(answer);
      const content = log.at(-1)?.data.content;
      expect(content).toBe(place === 0 ? `${answer}|${answer}|near` : answer);
      const ids = new Set(relayed.map(({ run_id }) => run_id));
      expect(ids.size).toBe(1);
      expect(log.filter(({ event, data }) => event === "RunRecovered" && ids.has(data.run_id))).toEqual([]);
    }
    for (const [place, count] of [2, 1].entries()) {
      const { body } = await upstream.client.get(`/agents/parallel/runs?session_id=${components[place]}`);
      expect(body.map(({ status }: { status: string }) => status)).toEqual(Array(count).fill("COMPLETED"));
    }
    await server.crash();
  },
);
