/** The writing end of a web socket. What its client has not taken yet has a bound in bytes: beyond it, whoever writes waits. */
import type { WebSocket } from "ws";

export class SocketOutput {
  readonly #socket: WebSocket;
  readonly #mostBytes: number;
  #waiting: (() => void)[] = [];

  constructor(socket: WebSocket, mostBytes: number) {
    this.#socket = socket;
    this.#mostBytes = mostBytes;
    socket.once("close", () => this.#wake());
  }

  /** Whether it is better to wait for `drained`. */
  get isFull(): boolean {
    return this.#isOpen && this.#socket.bufferedAmount > this.#mostBytes;
  }

  /** Sends a text. To a socket that is closed it sends nothing. */
  send(text: Buffer | string): void {
    if (!this.#isOpen) return;
    this.#socket.send(text, { binary: false }, () => {
      if (!this.isFull) this.#wake();
    });
  }

  /** Resolves when the socket takes more, or when nobody is left to take it. */
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
