/** The client's side of a web socket with minimal cost (RFC 6455 section 5), so that the bench measures the server. */
import { Connection } from "./connection.ts";

/** A web socket of the bench. */
export class SocketClient {
  readonly #connection: Connection;
  #rest = "";

  private constructor(connection: Connection) {
    this.#connection = connection;
  }

  static async open(port: number, path: string): Promise<SocketClient> {
    const connection = await Connection.open(port);
    const client = new SocketClient(connection);
    const request =
      `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nupgrade: websocket\r\nconnection: Upgrade\r\n` +
      "sec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n";
    await new Promise<void>((resolve, reject) => {
      connection.send(request, {
        head: (status, head) => (status === 101 ? resolve() : reject(new Error(head))),
        body: (received) => client.#take(received, () => false),
        broken: reject,
      });
    });
    return client;
  }

  /** Sends a text of at most 65,535 ASCII characters, and passes each received text, as Latin-1, to `take` until it returns true. */
  send(text: string, take: (text: string) => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const body = (received: string): boolean => {
        if (!this.#take(received, take)) return false;
        resolve();
        return true;
      };
      this.#connection.send(maskedText(text), { head() {}, body, broken: reject }, false);
    });
  }

  close(): void {
    this.#connection.close();
  }

  /** Control frames are ignored. */
  #take(received: string, take: (text: string) => boolean): boolean {
    const all = this.#rest === "" ? received : this.#rest + received;
    let start = 0;
    let isOver = false;
    for (let frame = frameAt(all, start); frame; frame = frameAt(all, start)) {
      start = frame.end;
      if (frame.isText && take(all.slice(frame.payload, frame.end))) isOver = true;
    }
    this.#rest = all.slice(start);
    return isOver;
  }
}

interface Frame {
  readonly isText: boolean;
  readonly payload: number;
  readonly end: number;
}

/** The unmasked frame at a position of Latin-1 text; undefined if it is not complete. */
function frameAt(text: string, start: number): Frame | undefined {
  if (text.length < start + 2) return undefined;
  const isText = (text.charCodeAt(start) & 15) === 1;
  const short = text.charCodeAt(start + 1);
  const extra = short < 126 ? 0 : short === 126 ? 2 : 8;
  const payload = start + 2 + extra;
  if (text.length < payload) return undefined;
  let length = extra === 0 ? short : 0;
  for (let place = start + 2; place < payload; place++) length = length * 256 + text.charCodeAt(place);
  const end = payload + length;
  return text.length < end ? undefined : { isText, payload, end };
}

/** A client's text frame. Its mask is zero, so its payload is the text itself. */
function maskedText(text: string): string {
  const { length } = text;
  const size = length < 126 ? String.fromCharCode(128 + length) : String.fromCharCode(254, length >> 8, length & 255);
  return `\x81${size}\0\0\0\0${text}`;
}
