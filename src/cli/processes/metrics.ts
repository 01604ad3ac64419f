/** The metrics of all server processes, on one port of the primary process. */
import type { Log } from "../../model/runtime.ts";
import { serveMetrics } from "../../platform/metrics-listener.ts";
import { SummedMetrics } from "../../platform/metrics-sum.ts";
import type { Supervisor } from "./supervisor.ts";

/** Metrics that are served on a port. */
export interface ServedSum {
  readonly url: string;
  readonly sum: SummedMetrics;
  /** Serves the metrics of these processes. Before, a scrape returns nothing. @param isLocalOnly see `MetricsListenerOptions` */
  begin(supervisor: Supervisor, isLocalOnly: boolean): void;
}

/** Opens the port. @throws ConfigurationError for an address that cannot be listened on */
export async function serveSum(address: { host: string; port: number; log: Log }): Promise<ServedSum> {
  const sum = new SummedMetrics(Date.now() - process.uptime() * 1000);
  let [source, isLocalOnly]: [Supervisor | undefined, boolean] = [undefined, true];
  const metrics = { contentType: sum.contentType, scrape: async () => (await source?.scrape()) ?? "" };
  const { url } = await serveMetrics(metrics, { ...address, isLocalOnly: () => isLocalOnly });
  return {
    url,
    sum,
    begin(supervisor, local) {
      [source, isLocalOnly] = [supervisor, local];
    },
  };
}
