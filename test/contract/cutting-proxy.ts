/** A TCP proxy that cuts a connection when the client sends a given text. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

type Cut = "before" | "during" | "after";

/** The proxy stands between a client and a Postgres server. */
export interface CuttingProxy {
  /** URL of the server through the proxy. */
  readonly url: string;
  /**
   * Cuts the next connection on which the client sends `word`: `before` the message reaches the server, `during` its execution, or `after`
   * the execution but before the answer reaches the client. Resolves when the message arrives at the proxy.
   */
  cut(word: string, when: Cut): Promise<void>;
  /** Cuts like `cut` with `before`, but keeps the message. `deliver` sends it to the server and waits for the answer. */
  delay(word: string): Promise<{ deliver(): Promise<void> }>;
  /** Keeps the current connections open but drops everything that is sent on them. */
  silence(): void;
  close(): Promise<void>;
}

export async function cuttingProxy(serverUrl: string): Promise<CuttingProxy> {
  const target = new URL(serverUrl);
  const sockets = new Set<Socket>();
  const deafen = new Set<() => void>();
  let armed: { word: string; when: Cut; done: () => void } | undefined;
  let delayed: { word: string; done: (way: { deliver(): Promise<void> }) => void } | undefined;

  const proxy = createServer((client) => {
    const server = connect(Number(target.port), target.hostname);
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => sockets.delete(socket));
    }
    let isDoomed = false;
    deafen.add(() => {
      isDoomed = true;
    });
    const end = (): void => {
      client.destroy();
      server.destroy();
    };
    client.on("data", (bytes) => {
      if (isDoomed) return;
      if (delayed !== undefined && bytes.includes(delayed.word)) {
        isDoomed = true;
        server.removeAllListeners("data");
        const deliver = async (): Promise<void> => {
          server.write(bytes);
          await once(server, "data");
          server.destroy();
        };
        client.removeAllListeners("close").destroy();
        delayed.done({ deliver });
        delayed = undefined;
        return;
      }
      if (armed === undefined || !bytes.includes(armed.word)) return void server.write(bytes);
      const { when, done } = armed;
      armed = undefined;
      if (when === "before") end();
      else if (when === "during") server.write(bytes, () => setTimeout(end, 50));
      else {
        isDoomed = true;
        server.write(bytes);
        // The server answers after it has executed all statements of the message.
        server.once("data", () => setTimeout(end, 100));
      }
      done();
    });
    server.on("data", (bytes) => {
      if (!isDoomed) client.write(bytes);
    });
    client.on("close", () => server.destroy());
    server.on("close", () => client.destroy());
  }).listen(0, "127.0.0.1");
  await once(proxy, "listening");

  const url = new URL(serverUrl);
  url.port = String((proxy.address() as AddressInfo).port);
  return {
    url: url.href,
    cut: (word, when) =>
      new Promise((done) => {
        armed = { word, when, done };
      }),
    delay: (word) =>
      new Promise((done) => {
        delayed = { word, done };
      }),
    silence() {
      for (const each of deafen) each();
    },
    async close() {
      proxy.close();
      for (const socket of sockets) socket.destroy();
      await once(proxy, "close");
    },
  };
}
