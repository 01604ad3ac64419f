/** The sum of the metrics of several processes. */
import { expect, test } from "vitest";
import { definePlatform } from "../../src/index.ts";
import { createMetrics, type Metrics } from "../../src/platform/metrics.ts";
import { SummedMetrics } from "../../src/platform/metrics-sum.ts";
import { seriesOf } from "../support/scrape.ts";

const platform = definePlatform({ id: "summed" });

/** Metrics of a process with so many requests, of a duration in seconds, and a state of its gauges. */
function processWith(requests: number, seconds: number, isUp: boolean, queued: number | undefined): Metrics {
  const metrics = createMetrics(platform);
  const { measurements } = metrics;
  for (let turn = 0; turn < requests; turn++)
    measurements.requestFinished({ method: "GET", route: "/config", status: 200, seconds });
  metrics.read({
    followers: () => 2,
    ringBytes: () => 10,
    isDatabaseAvailable: () => isUp,
    connections: () => undefined,
    queue: async () => (queued === undefined ? undefined : { length: queued, oldestWait: queued * 1000 }),
  });
  return metrics;
}

/** Values pass from process to process as JSON. */
async function sent(metrics: Metrics): Promise<Awaited<ReturnType<Metrics["values"]>>> {
  return JSON.parse(JSON.stringify(await metrics.values()));
}

const labels = 'method="GET",route="/config"';

test("counters and histograms are sums; gauges are sums, or one value where all processes read the same", async () => {
  const sum = new SummedMetrics(5_000);
  const values = [await sent(processWith(3, 0.01, true, 4)), await sent(processWith(2, 1, false, 5))];
  const series = seriesOf(
    await sum.text(
      values.map((each) => ({ values: each, isCurrent: true })),
      2,
    ),
  );
  expect(series.get(`troupe_http_requests_total{${labels},status="200"}`)).toBe(5);
  expect(series.get(`troupe_http_request_duration_seconds_bucket{le="0.025",${labels}}`)).toBe(3);
  expect(series.get(`troupe_http_request_duration_seconds_bucket{le="+Inf",${labels}}`)).toBe(5);
  expect(series.get(`troupe_http_request_duration_seconds_count{${labels}}`)).toBe(5);
  expect(series.get("troupe_followers")).toBe(4);
  expect(series.get("troupe_database_up")).toBe(0);
  expect(series.get("troupe_queued_runs")).toBe(5);
  expect(series.get("troupe_queue_oldest_wait_seconds")).toBe(5);
  expect(series.get("troupe_server_processes")).toBe(2);
  expect(series.get("process_start_time_seconds")).toBe(5);
  expect([...series.values()].filter(Number.isNaN)).toEqual([]);
});

test("counts of processes that have ended stay in the sum, and their gauges do not", async () => {
  const sum = new SummedMetrics(0);
  const first = processWith(3, 0.01, true, undefined);
  const text = async (values: Awaited<ReturnType<typeof sent>>, isCurrent = true) =>
    seriesOf(await sum.text([{ values, isCurrent }], 1));
  const before = await text(await sent(first));
  sum.exited();
  sum.keep(await first.values());
  sum.keep(await processWith(1, 0.01, true, undefined).counts());
  const after = await text(await sent(processWith(2, 0.01, true, undefined)));
  const name = `troupe_http_requests_total{${labels},status="200"}`;
  expect([before.get(name), after.get(name)]).toEqual([3, 6]);
  expect([before.get("troupe_followers"), after.get("troupe_followers")]).toEqual([2, 2]);
  expect(after.get("troupe_server_process_exits_total")).toBe(1);

  const stalled = await text(await sent(processWith(2, 0.01, true, undefined)), false);
  expect([stalled.get(name), stalled.get("troupe_followers")]).toEqual([6, undefined]);
});
