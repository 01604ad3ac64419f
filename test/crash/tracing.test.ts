/** The exported trace of a run whose process was killed. */
import { expect, test, vi } from "vitest";
import { databaseKinds, openDatabaseOf } from "../support/databases.ts";
import type { TeamOrder } from "../support/orders.ts";
import { OtlpReceiver } from "../support/otlp-receiver.ts";
import { startServerProcess } from "../support/server-process.ts";

vi.setConfig({ testTimeout: 180_000 });

const settings = { leaseDuration: 3_000, leaseRenewInterval: 500, sweepInterval: 500, compactionInterval: 200 };
const order: TeamOrder = {
  deltas: 3,
  members: [
    { deltas: 100, delay: 20 },
    { deltas: 60, delay: 30 },
  ],
};
const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const parent = "00f067aa0ba902b7";

interface Node {
  readonly id: string;
  readonly name: string;
  readonly spans?: readonly Node[];
}

const flat = (nodes: readonly Node[]): string[] => nodes.flatMap(({ id, spans = [] }) => [id, ...flat(spans)]);

test.each(databaseKinds)(
  "after kill -9 on %s, the process that takes the run over exports one trace under the caller's span",
  async (kind) => {
    await using database = await openDatabaseOf(kind);
    await using collector = await OtlpReceiver.open();
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: "100" };
    await using first = await startServerProcess(database, settings, { env });
    const headers = { traceparent: `00-${traceId}-${parent}-01` };
    const stream = await first.client.stream("/teams/desk/runs", { message: JSON.stringify(order) }, headers);
    await stream.until(30);
    await first.crash();
    await stream.closed;

    await using second = await startServerProcess(database, settings, { env });
    const rest = await second.client.resume("teams/desk", stream.runId, stream.cursor);
    await rest.closed;
    expect(rest.ending?.event).toBe("TeamRunCompleted");
    await expect.poll(() => collector.spans.length).toBeGreaterThan(0);
    const spans = collector.spans;
    const response = await fetch(new URL(`/traces/${traceId}`, second.client.address));
    const { tree } = (await response.json()) as { readonly tree: readonly Node[] };
    expect(new Set(spans.map((span) => span.traceId))).toEqual(new Set([traceId]));
    expect(spans.map(({ spanId }) => spanId).sort()).toEqual(flat(tree).sort());
    const [request] = spans.filter(({ parentSpanId }) => parentSpanId === parent);
    expect(request).toMatchObject({ name: "run team desk", status: { code: 1 } });
    const cut = spans.filter(({ attributes }) => attributes["error.type"] === "takeover");
    expect(cut.length).toBeGreaterThan(0);
    expect(spans.some(({ name }) => name === "takeover")).toBe(true);
  },
);
