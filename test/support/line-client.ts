/** A TCP client that sends and receives lines. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { createInterface } from "node:readline";

// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
export type Line = Record<string, any>;

export class LineClient implements Disposable {
  readonly #socket: Socket;
  readonly #lines: AsyncIterator<string>;

  private constructor(socket: Socket) {
    this.#socket = socket.on("error", () => {});
    this.#lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  }

  static async open(port: number): Promise<LineClient> {
    const socket = connect(port, "127.0.0.1");
    await once(socket, "connect");
    return new LineClient(socket);
  }

  send(...lines: readonly string[]): void {
    this.#socket.write(lines.map((line) => `${line}\n`).join(""));
  }

  /** Ends the client's side; the server may still send. */
  finish(): void {
    this.#socket.end();
  }

  /** Stops to read, so that what comes piles up. */
  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /** The next line as it came; undefined after the last one. */
  async text(): Promise<string | undefined> {
    try {
      const { value, done } = await this.#lines.next();
      return done ? undefined : value;
    } catch {
      // The server reset the connection.
      return undefined;
    }
  }

  async line(): Promise<Line | undefined> {
    const text = await this.text();
    return text === undefined ? undefined : (JSON.parse(text) as Line);
  }

  /** Texts up to the first line for which `isLast` holds, or to the end of the connection. */
  async until(isLast: (line: Line) => boolean): Promise<string[]> {
    const texts: string[] = [];
    for (let text = await this.text(); text !== undefined; text = await this.text()) {
      texts.push(text);
      if (isLast(JSON.parse(text) as Line)) break;
    }
    return texts;
  }

  [Symbol.dispose](): void {
    this.#socket.destroy();
  }
}
