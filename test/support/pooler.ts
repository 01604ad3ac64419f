/** A pooler in transaction mode in front of a real Postgres: each transaction of a client gets the least recently used server connection. */
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import pg from "pg";

export interface Pooler extends AsyncDisposable {
  /** The URL of the pooler, which accepts every client. */
  readonly url: string;
}

const syncing = new Set(["Q", "S"].map((letter) => letter.charCodeAt(0)));
const terminate = "X".charCodeAt(0);
const readyForQuery = "Z".charCodeAt(0);
const idle = "I".charCodeAt(0);

interface Backend {
  readonly socket: Socket;
  readonly end: () => Promise<void>;
  take: (message: Buffer) => void;
}

/** Starts a pooler with `size` server connections. */
export async function startPooler(serverUrl: string, size: number): Promise<Pooler> {
  const free = await Promise.all(Array.from({ length: size }, () => openBackend(serverUrl)));
  const all = [...free];
  const waiting: ((backend: Backend) => void)[] = [];
  const clients = new Set<Socket>();

  function giveBack(backend: Backend): void {
    // Messages on an idle connection, for instance notifications, reach no client.
    backend.take = () => undefined;
    const next = waiting.shift();
    if (next) next(backend);
    else free.push(backend);
  }

  const proxy = createServer((client) => {
    clients.add(client);
    client.on("error", () => undefined).on("close", () => clients.delete(client));
    let mine: Backend | undefined;
    let isAsking = false;
    let answersDue = 0;
    const held: Buffer[] = [];

    function send(message: Buffer): void {
      if (syncing.has(message[0]!)) answersDue++;
      mine?.socket.write(message);
    }

    function assign(backend: Backend): void {
      mine = backend;
      isAsking = false;
      backend.take = (message) => {
        client.write(message);
        if (message[0] === readyForQuery && --answersDue === 0 && message[5] === idle) {
          mine = undefined;
          giveBack(backend);
        }
      };
      for (const message of held.splice(0)) send(message);
    }

    const greeted = splitMessages(({ message, isFirst }) => {
      if (isFirst) return void client.write(Buffer.concat([authenticated, ready]));
      if (message[0] === terminate) return void client.end();
      if (mine) return send(message);
      held.push(message);
      if (isAsking) return;
      isAsking = true;
      const backend = free.shift();
      if (backend) assign(backend);
      else waiting.push(assign);
    }, true);
    client.on("data", greeted);
  }).listen(0, "127.0.0.1");
  await once(proxy, "listening");

  const url = new URL(serverUrl);
  url.port = String((proxy.address() as AddressInfo).port);
  return {
    url: url.href,
    async [Symbol.asyncDispose]() {
      proxy.close();
      for (const client of clients) client.destroy();
      await once(proxy, "close");
      await Promise.all(all.map(({ end }) => end()));
    },
  };
}

/** A server connection: pg logs in, and the pooler handles all bytes afterwards. */
async function openBackend(url: string): Promise<Backend> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => undefined);
  await client.connect();
  const socket = (client as unknown as { connection: { stream: Socket } }).connection.stream;
  socket.removeAllListeners("data");
  socket.on("error", () => undefined);
  const closed = once(socket, "close");
  const backend: Backend = {
    socket,
    take: () => undefined,
    async end() {
      socket.destroy();
      await closed;
    },
  };
  socket.on(
    "data",
    splitMessages(({ message }) => backend.take(message), false),
  );
  return backend;
}

/** Splits bytes into messages: a letter and a length. A client's first message has no letter. */
function splitMessages(
  take: (found: { message: Buffer; isFirst: boolean }) => void,
  hasGreeting: boolean,
): (bytes: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  let isFirst = hasGreeting;
  return (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    for (;;) {
      const before = isFirst ? 0 : 1;
      if (rest.length < before + 4) return;
      const end = before + rest.readInt32BE(before);
      if (rest.length < end) return;
      const message = rest.subarray(0, end);
      rest = rest.subarray(end);
      take({ message, isFirst });
      isFirst = false;
    }
  };
}

const authenticated = Buffer.from([82, 0, 0, 0, 8, 0, 0, 0, 0]);
const ready = Buffer.from([readyForQuery, 0, 0, 0, 5, idle]);
