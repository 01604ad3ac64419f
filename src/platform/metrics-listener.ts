/** Serves metrics on a port of their own, so that the network can keep them inside. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { hostRefusal } from "../http/transport/local-host.ts";
import type { Log } from "../model/runtime.ts";
import type { Metrics } from "./metrics.ts";
import { addressError } from "./options.ts";

/** Where metrics are served. */
export interface MetricsListenerOptions {
  readonly host: string;
  /** 0 chooses a free port. */
  readonly port: number;
  /** Whether the server runs without authorization on loopback only: then requests must use a loopback host name. */
  readonly isLocalOnly: () => boolean;
  readonly log: Log;
}

/** A listener that serves metrics. */
export interface MetricsListener {
  /** `http://127.0.0.1:9464/metrics` */
  readonly url: string;
  close(): Promise<void>;
}

/** Serves `GET /metrics`. @throws ConfigurationError for an address that cannot be listened on */
export async function serveMetrics(
  metrics: Pick<Metrics, "contentType" | "scrape">,
  options: MetricsListenerOptions,
): Promise<MetricsListener> {
  const { host, port, isLocalOnly, log } = options;
  const server = createServer({ requestTimeout: 10_000 }, (request, response) => {
    const path = request.url?.split("?", 1)[0];
    if (isLocalOnly() && hostRefusal(request.headers.host)) response.writeHead(403).end();
    else if (path !== "/metrics") response.writeHead(404).end();
    else if (request.method !== "GET") response.writeHead(405, { allow: "GET" }).end();
    else {
      metrics.scrape().then(
        (text) => response.writeHead(200, { "content-type": metrics.contentType }).end(text),
        (error: unknown) => {
          log.error({ error }, "The metrics could not be read.");
          response.writeHead(500).end();
        },
      );
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => reject(addressError(error, host, port, "--metrics-port")));
    server.listen(port, host, resolve);
  });
  const { port: chosen } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${chosen}/metrics`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
