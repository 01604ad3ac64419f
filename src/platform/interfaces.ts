/** The interfaces that a server opens in addition to its own: `ServerOptions.interfaces`. */
import type { InterfaceStreams } from "../http/streams/caller-streams.ts";
import type { Interface, InterfaceServices, WebhookAnswer, WebhookRequest } from "../http/transport/services.ts";

import type { AnyInterface } from "./options.ts";

/** Milliseconds for which closing waits: for streams to send their end, and again for interfaces to close. */
const closeTimeout = 1_000;

export class OpenInterfaces {
  readonly #services: InterfaceServices;
  readonly #streams: InterfaceStreams;
  readonly #open: Interface[] = [];
  /** Open interfaces with routes, by path. */
  readonly #receivers = new Map<string, Interface>();
  #isClosing = false;

  constructor(services: InterfaceServices, streams: InterfaceStreams) {
    this.#services = services;
    this.#streams = streams;
  }

  /** Opens interfaces in order. Those that are open when one fails stay open until `close`. @throws the error of an interface */
  async open(interfaces: readonly AnyInterface[]): Promise<void> {
    for (const openOne of interfaces) {
      if (this.#isClosing) return;
      const opened = await openOne(this.#services as never);
      this.#open.push(opened);
      for (const path of webhooksOf(openOne)) this.#receivers.set(path, opened);
      if (this.#isClosing) await this.close();
    }
  }

  /** How the open interface of a path answers requests; undefined if none is open. */
  receiver(path: string): ((request: WebhookRequest) => Promise<WebhookAnswer>) | undefined {
    const found = this.#receivers.get(path);
    return found?.receive && ((request) => found.receive?.(request) ?? Promise.resolve({ status: 404 }));
  }

  /** Closes all interfaces, each once. It waits for a limited time: an interface cannot keep the server from closing. */
  async close(): Promise<void> {
    this.#isClosing = true;
    const interfaces = this.#open.splice(0);
    this.#receivers.clear();
    if (interfaces.length === 0) return;
    await this.#within("A stream of an interface did not end in time.", this.#streams.closed());
    await this.#within("An interface did not close in time.", Promise.all(interfaces.map((one) => this.#close(one))));
  }

  async #close(one: Interface): Promise<void> {
    try {
      await one.close();
    } catch (error) {
      this.#services.runtime.log.error({ error }, "An interface failed to close.");
    }
  }

  async #within(warning: string, work: Promise<unknown>): Promise<void> {
    const { clock, log } = this.#services.runtime;
    const done = new AbortController();
    await Promise.race([work.then(() => done.abort()), clock.sleep(closeTimeout, done.signal)]);
    if (!done.signal.aborted) log.warn({ closeTimeout }, warning);
  }
}

/** The paths of an interface's routes. */
export function webhooksOf(one: AnyInterface): readonly string[] {
  return (one as { readonly webhooks?: readonly string[] }).webhooks ?? [];
}
