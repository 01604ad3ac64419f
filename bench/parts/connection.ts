/** A client connection with minimal cost: no HTTP library and one shared receive buffer, so that the bench measures the server. */
import { connect, type Socket } from "node:net";

/** Receives a response as it arrives; `body` returns true when the response is complete. */
export interface Sink {
  head(status: number, head: string): void;
  /** Bytes of the body as Latin-1, including HTTP's chunk headers. */
  body(text: string): boolean;
  broken(error: Error): void;
}

const received = Buffer.allocUnsafe(256 * 1024);

export class Connection {
  readonly #socket: Socket;
  #sink: Sink | undefined;
  #head: string | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on("error", (error) => this.#break(error));
    socket.on("close", () => this.#break(new Error("The server closed the connection.")));
  }

  static open(port: number): Promise<Connection> {
    return new Promise((resolve, reject) => {
      let connection: Connection | undefined;
      const onread = {
        buffer: received,
        callback: (length: number): boolean => {
          connection?.receive(received.toString("latin1", 0, length));
          return true;
        },
      };
      const socket = connect({ port, host: "127.0.0.1", onread });
      socket.once("error", reject);
      socket.once("connect", () => {
        socket.off("error", reject);
        connection = new Connection(socket);
        resolve(connection);
      });
    });
  }

  /** Sends a request; one at a time. Without `hasHead`, all bytes of the answer are its body. */
  send(request: string, sink: Sink, hasHead = true): void {
    this.#sink = sink;
    this.#head = hasHead ? "" : undefined;
    this.#socket.write(request, "latin1");
  }

  receive(text: string): void {
    let body = text;
    if (this.#head !== undefined) {
      this.#head += text;
      const end = this.#head.indexOf("\r\n\r\n");
      if (end < 0) return;
      body = this.#head.slice(end + 4);
      const head = this.#head.slice(0, end);
      this.#head = undefined;
      this.#sink?.head(Number(head.slice(9, 12)), head);
      if (body === "" && !/content-length: 0/i.test(head)) return;
    }
    if (this.#sink?.body(body)) this.#sink = undefined;
  }

  close(): void {
    this.#sink = undefined;
    this.#socket.destroy();
  }

  #break(error: Error): void {
    const sink = this.#sink;
    this.#sink = undefined;
    sink?.broken(error);
  }
}

/** A request with a form as its body. */
export function formRequest(path: string, fields: Readonly<Record<string, string>>): string {
  const body = new URLSearchParams(fields).toString();
  return (
    `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/x-www-form-urlencoded\r\n` +
    `content-length: ${body.length}\r\n\r\n${body}`
  );
}

/** A request with a JSON body. */
export function jsonRequest(path: string, value: unknown): string {
  const body = JSON.stringify(value);
  const length = Buffer.byteLength(body);
  return `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n${body}`;
}
