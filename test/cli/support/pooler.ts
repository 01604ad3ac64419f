/** As much of a pooler in transaction mode as can be told from outside: every connection gets the one session that it has. */
import { once } from "node:events";
import { createServer, type Socket } from "node:net";

export interface Pooler extends AsyncDisposable {
  readonly url: string;
}

const session = "4711";

export async function startPooler(): Promise<Pooler> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
    let greeted = false;
    socket.on("data", (bytes) => {
      if (!greeted) {
        greeted = true;
        socket.write(Buffer.concat([message("R", int32(0)), ready]));
      } else if (bytes[0] === "Q".charCodeAt(0)) {
        socket.write(Buffer.concat([bytes.includes("select") ? answer : Buffer.alloc(0), done, ready]));
      }
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  return {
    url: `postgres://me@127.0.0.1:${port}/pooled`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

/** One message of the protocol: a letter, the length, the rest. */
function message(letter: string, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from(letter), int32(body.length + 4), body]);
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

const ready = message("Z", Buffer.from("I"));
const done = message("C", Buffer.from("OK\0"));
/** One row of one column of type integer. */
const column = Buffer.concat([Buffer.from("session\0"), int32(0), int16(0), int32(23), int16(4), int32(-1), int16(0)]);
const answer = Buffer.concat([
  message("T", int16(1), column),
  message("D", int16(1), int32(session.length), Buffer.from(session)),
]);
