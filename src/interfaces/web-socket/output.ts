/** The output side of a web socket. Its unsent bytes are limited: beyond the limit, writers wait. */
import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";

export class SocketOutput {
  readonly #socket: WebSocket;
  /** The connection below the socket. The socket writes each message at once: it compresses nothing, and sends no blobs. */
  readonly #stream: Duplex;
  readonly #maxBytes: number;
  #waiting: (() => void)[] = [];
  readonly #written = (): void => {
    if (!this.isFull) this.#wake();
  };

  constructor(socket: WebSocket, stream: Duplex, maxBytes: number) {
    this.#socket = socket;
    this.#stream = stream;
    this.#maxBytes = maxBytes;
    socket.once("close", () => this.#wake());
  }

  /** Whether the writer should wait for `drained`. */
  get isFull(): boolean {
    return this.#isOpen && this.#socket.bufferedAmount > this.#maxBytes;
  }

  /** Sends a text; a closed socket ignores it. */
  send(text: string): void {
    if (this.#isOpen) this.#socket.send(text, this.#written);
  }

  /** Sends whole messages; see `toMessages`. */
  write(messages: Buffer): void {
    if (messages.length > 0 && this.#isOpen) this.#stream.write(messages, this.#written);
  }

  /** Resolves when the socket accepts more, or when it has closed. */
  async drained(): Promise<void> {
    while (this.isFull) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  get #isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
