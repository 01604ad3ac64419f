/** A web socket client that keeps every received message. */
import { WebSocket } from "ws";

// biome-ignore lint/suspicious/noExplicitAny: tests read fields of untyped messages
export type Told = Record<string, any>;

export class SocketClient {
  readonly #socket: WebSocket;
  /** The text as received. */
  readonly texts: string[] = [];
  readonly messages: Told[] = [];
  /** Close code; undefined while the socket is open. */
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

  /** Opens a socket on the server at `base`. Rejects with the HTTP status if the server rejects it. */
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

  /** Sends a message and resolves with the next received one. */
  async ask(message: unknown): Promise<Told> {
    const count = this.messages.length;
    this.send(message);
    return (await this.until(() => this.messages.length > count))[count] as Told;
  }

  /** Waits until the condition holds for the received messages, or the socket closes. */
  async until(done: (messages: Told[]) => boolean): Promise<Told[]> {
    while (!done(this.messages) && this.closed === undefined)
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return this.messages;
  }

  /** Waits for a message of this name and returns it. */
  async event(name: string): Promise<Told> {
    const isIt = ({ event }: Told): boolean => event === name;
    return (await this.until((messages) => messages.some(isIt))).find(isIt) ?? {};
  }

  /** Received events of runs, in order. */
  get events(): string[] {
    return this.texts.filter((_, place) => this.messages[place]?.event_index !== undefined);
  }

  /** Stops reading, so that messages pile up. */
  stall(): void {
    this.#socket.pause();
  }

  readOn(): void {
    this.#socket.resume();
  }

  /** Resolves with the close code when the connection has ended. */
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
