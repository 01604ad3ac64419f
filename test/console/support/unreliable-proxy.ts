/** A reverse proxy that cuts responses, delays them, and sends requests twice, as bad networks and retrying proxies do. */
import { createServer, type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";

export interface UnreliableProxy extends AsyncDisposable {
  readonly url: string;
  /** The server behind the proxy. It may change, and it may be down. */
  target: string;
  /** Ends each stream after so many bytes. */
  cutAfter: number | undefined;
  /** Milliseconds that each piece of a stream waits. */
  delay: number;
  /** Whether each POST request is sent twice. The second response is the one that arrives. */
  duplicates: boolean;
  /** Number of streams that were cut. */
  readonly cuts: number;
}

export async function unreliableProxy(target: string): Promise<UnreliableProxy> {
  const options: Pick<UnreliableProxy, "target" | "cutAfter" | "delay" | "duplicates"> & { cuts: number } = {
    target,
    cuts: 0,
    cutAfter: undefined,
    delay: 0,
    duplicates: false,
  };
  const server = createServer(async (incoming, outgoing) => {
    const body = await buffer(incoming);
    const send = (): Promise<IncomingMessage> =>
      new Promise((resolve, reject) => {
        const { method, url = "/", headers } = incoming;
        request(options.target + url, { method, headers }, resolve)
          .on("error", reject)
          .end(body);
      });
    try {
      if (options.duplicates && incoming.method === "POST") (await send()).destroy();
      const answer = await send();
      outgoing.on("close", () => answer.destroy());
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      const isStream = answer.headers["content-type"]?.startsWith("text/event-stream") === true;
      let bytes = 0;
      for await (const piece of answer) {
        if (isStream && options.delay > 0) await wait(options.delay);
        const room = isStream && options.cutAfter !== undefined ? options.cutAfter - bytes : Number.POSITIVE_INFINITY;
        const part = (piece as Buffer).subarray(0, room);
        await new Promise((resolve) => outgoing.write(part, resolve));
        bytes += part.length;
        if (part.length < room) continue;
        // A browser discards what its page has not read yet when a connection fails.
        await wait(100);
        options.cuts++;
        outgoing.destroy();
        return;
      }
      outgoing.end();
    } catch {
      outgoing.destroy();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return Object.assign(options, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}
