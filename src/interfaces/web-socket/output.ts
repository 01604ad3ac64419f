/** The output side of a web socket. Its unsent bytes are limited: beyond the limit, writers wait. */
import type { WebSocket } from "ws";

export class SocketOutput {
  readonly #socket: WebSocket;
  readonly #maxBytes: number;
  #waiting: (() => void)[] = [];

  constructor(socket: WebSocket, maxBytes: number) {
    this.#socket = socket;
    this.#maxBytes = maxBytes;
    socket.once("close", () => this.#wake());
  }

  /** Whether the writer should wait for `drained`. */
  get isFull(): boolean {
    return this.#isOpen && this.#socket.bufferedAmount > this.#maxBytes;
  }

  /** Sends a text; a closed socket ignores it. */
  send(text: Buffer | string): void {
    if (!this.#isOpen) return;
    this.#socket.send(text, { binary: false }, () => {
      if (!this.isFull) this.#wake();
    });
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
