/** A web socket that keeps what it is told, message by message. */
import { WebSocket } from "ws";

// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
export type Told = Record<string, any>;

export class SocketClient {
  readonly #socket: WebSocket;
  /** As it came. */
  readonly texts: string[] = [];
  readonly messages: Told[] = [];
  /** Status code of the end; undefined while it is open. */
  closed: number | undefined;
  #waiting: (() => void)[] = [];

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on("message", (data) => {
      const text = data.toString();
      this.texts.push(text);
      this.messages.push(JSON.parse(text) as Told);
      this.#wake();
    });
    socket.on("close", (code) => {
      this.closed = code;
      this.#wake();
    });
  }

  /** Opens one on the server at `base`; rejects with the status for one that is refused. */
  static open(base: string | URL, headers: Record<string, string> = {}, path = "/workflows/ws"): Promise<SocketClient> {
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(new URL(path, base).href.replace(/^http/, "ws"), { headers });
      const client = new SocketClient(socket);
      socket.once("open", () => resolve(client));
      socket.once("unexpected-response", (_request, { statusCode }) => {
        socket.terminate();
        reject(new Error(String(statusCode)));
      });
      socket.on("error", reject);
    });
  }

  send(message: unknown): void {
    this.#socket.send(typeof message === "string" || Buffer.isBuffer(message) ? message : JSON.stringify(message));
  }

  /** Sends it, and answers the next message. */
  async ask(message: unknown): Promise<Told> {
    const count = this.messages.length;
    this.send(message);
    return (await this.until(() => this.messages.length > count))[count] as Told;
  }

  /** Waits until the condition holds for what came, or the end. */
  async until(done: (messages: Told[]) => boolean): Promise<Told[]> {
    while (!done(this.messages) && this.closed === undefined)
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return this.messages;
  }

  /** Waits until a message of this name has come, and answers it. */
  async event(name: string): Promise<Told> {
    const isIt = ({ event }: Told): boolean => event === name;
    return (await this.until((messages) => messages.some(isIt))).find(isIt) ?? {};
  }

  /** Events of runs, as they came. */
  get events(): string[] {
    return this.texts.filter((_, place) => this.messages[place]?.event_index !== undefined);
  }

  /** Reads nothing more, so that what comes piles up. */
  stall(): void {
    this.#socket.pause();
  }

  readOn(): void {
    this.#socket.resume();
  }

  /** Resolves with the status code when the connection has ended. */
  async end(): Promise<number | undefined> {
    while (this.closed === undefined) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return this.closed;
  }

  close(): void {
    this.#socket.close();
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
