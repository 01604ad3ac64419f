/** The interfaces that a server opens in addition to its own: `ServerOptions.interfaces`. */
import type { Interface, InterfaceServices, OpenInterface } from "../http/transport/services.ts";

/** Milliseconds that interfaces have to close. */
const closeTimeout = 2_000;

export class OpenInterfaces {
  readonly #services: InterfaceServices;
  readonly #open: Interface[] = [];
  #isClosing = false;

  constructor(services: InterfaceServices) {
    this.#services = services;
  }

  /** Opens interfaces in order. Those that are open when one fails stay open until `close`. @throws the error of an interface */
  async open(interfaces: readonly OpenInterface[]): Promise<void> {
    for (const openOne of interfaces) {
      if (this.#isClosing) return;
      const opened = await openOne(this.#services);
      if (this.#isClosing) await this.#closeAll([opened]);
      else this.#open.push(opened);
    }
  }

  /** Closes all interfaces. It waits for a limited time: an interface cannot keep the server from closing. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#closeAll(this.#open.splice(0));
  }

  async #closeAll(interfaces: readonly Interface[]): Promise<void> {
    const { clock, log } = this.#services.runtime;
    const closed = new AbortController();
    const closing = Promise.all(
      interfaces.map(async (one) => {
        try {
          await one.close();
        } catch (error) {
          log.error({ error }, "An interface failed to close.");
        }
      }),
    ).then(() => closed.abort());
    await Promise.race([closing, clock.sleep(closeTimeout, closed.signal)]);
    if (!closed.signal.aborted)
      log.warn({ closeTimeout }, "The server closes without waiting longer for an interface.");
  }
}
