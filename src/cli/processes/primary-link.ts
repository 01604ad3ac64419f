/** The connection of a server process to its primary process. */
import cluster from "node:cluster";
import type { SharedServer } from "../../platform/server.ts";
import { contentOf, type Order, type Report } from "./messages.ts";

/** Milliseconds between two reports of readiness checks. */
const checkedInterval = 10_000;

export class PrimaryLink {
  #checkedAt = Number.NEGATIVE_INFINITY;

  /** Reports a readiness check. */
  checked(): void {
    if (performance.now() - this.#checkedAt < checkedInterval) return;
    this.#checkedAt = performance.now();
    void this.#send({ type: "checked" });
  }

  /** Lets the primary process decide when the server closes. @param shutdownTimeout default: the setting */
  follow(server: SharedServer, shutdownTimeout: number | undefined): void {
    const timeout = shutdownTimeout === undefined ? {} : { shutdownTimeout };
    const end = (closed: Promise<void>): void => {
      closed
        .then(() => this.#reportLast(server))
        .then(() => process.exit(0))
        .catch((error: unknown) => {
          server.log.error({ error }, "The server could not be closed cleanly.");
          process.exit(1);
        });
    };
    process.on("message", (message) => {
      const order = contentOf<Order>(message);
      if (order?.type === "close") end(server.close({ ...timeout, isChecked: order.isChecked }));
      else if (order?.type === "retire") end(server.retire(shutdownTimeout));
      else if (order?.type === "measure") void this.#measure(server);
    });
    // A terminal sends SIGINT to all processes, and the primary process decides what it means.
    process.on("SIGINT", () => undefined);
    process.on("SIGHUP", () => undefined);
    process.once("SIGTERM", () => end(server.retire(shutdownTimeout)));
    this.#endWithPrimary(server);
  }

  /** @param greeting the text that the primary process prints */
  ready({ isLocalOnly }: SharedServer, greeting: string): void {
    void this.#send({ type: "ready", greeting, isLocalOnly });
  }

  /** A primary process that was killed is not replaced, and nothing would end this process later. Its runs continue elsewhere. */
  #endWithPrimary(server: SharedServer): void {
    const { worker } = cluster;
    worker?.once("disconnect", () => {
      // Without it, Node ends this process at once.
      worker.exitedAfterDisconnect = true;
      server.log.error({}, "The primary process has ended, so this process closes.");
      server
        .close({ shutdownTimeout: 0 })
        .catch((error: unknown) => server.log.error({ error }, "The server could not be closed cleanly."))
        .finally(() => process.exit(1));
    });
  }

  async #measure({ metrics }: SharedServer): Promise<void> {
    await this.#send({ type: "measured", values: (await metrics?.values()) ?? [], isLast: false });
  }

  async #reportLast({ metrics }: SharedServer): Promise<void> {
    if (metrics) await this.#send({ type: "measured", values: await metrics.counts(), isLast: true });
  }

  #send(report: Report): Promise<void> {
    return new Promise((resolve) => {
      if (process.connected) process.send?.({ troupe: report }, undefined, undefined, () => resolve());
      else resolve();
    });
  }
}
