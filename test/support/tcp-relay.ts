/** A TCP relay in front of a server, which can cut its connections and reject new ones. */

import type { AddressInfo } from "node:net";
import { connect, createServer, type Socket } from "node:net";

export interface TcpRelay extends AsyncDisposable {
  readonly url: string;
  /** Cuts every open connection. */
  cut(): void;
  /** While true, new connections are cut at once. */
  closed: boolean;
}

/** Relays to the server at `target`. */
export async function tcpRelay(target: URL): Promise<TcpRelay> {
  const sockets = new Set<Socket>();
  const relay = { closed: false };
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on("error", () => {}).on("close", () => sockets.delete(socket));
  };
  const server = createServer((near) => {
    keep(near);
    if (relay.closed) {
      near.destroy();
      return;
    }
    const far = connect(Number(target.port), target.hostname);
    keep(far);
    near.pipe(far).pipe(near);
    near.on("close", () => far.destroy());
    far.on("close", () => near.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(relay, {
    url: `http://127.0.0.1:${port}`,
    cut: () => {
      for (const socket of sockets) socket.destroy();
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}
