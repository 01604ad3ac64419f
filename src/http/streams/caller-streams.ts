/** Streams of interfaces without a Fastify request: each counts towards its caller's limit, and ends when the caller's credential becomes invalid. */
import { TroupeError } from "../../errors.ts";
import type { Principal } from "../../model/principal.ts";
import type { CredentialWatch } from "./credential-watch.ts";
import type { OpenStreams } from "./open-streams.ts";

/** One open stream of a caller. */
export interface CallerStream {
  /**
   * Aborts when the client disconnects, when the stream is closed, and when the caller's credential is no longer valid. Its reason is then an error
   * `unauthenticated`.
   */
  readonly signal: AbortSignal;
  /** Ends the stream. An interface calls it when all events are sent, and when the run could not be started or found. */
  close(): void;
}

/** Opens streams for callers. */
export interface CallerStreams {
  /**
   * Opens a stream. With authorization on, a caller has at most `maxStreamsPerCaller` streams on all interfaces together, so an interface opens the
   * stream before it starts a run.
   *
   * @param address of the client
   * @param gone aborts when the client disconnects
   * @throws TroupeError `tooManyRequests`
   */
  open(caller: Principal, address: string, gone?: AbortSignal): CallerStream;
}

const notValid = "The credential is no longer valid: authenticate again and follow from your cursor.";

/** These streams share the count and the credential checks of HTTP streams. */
export class InterfaceStreams implements CallerStreams {
  readonly #openStreams: Pick<OpenStreams, "enter">;
  readonly #credentials: Pick<CredentialWatch, "watch">;
  readonly #open = new Set<Promise<void>>();

  constructor(openStreams: Pick<OpenStreams, "enter">, credentials: Pick<CredentialWatch, "watch">) {
    this.#openStreams = openStreams;
    this.#credentials = credentials;
  }

  open(caller: Principal, address: string, gone?: AbortSignal): CallerStream {
    const leave = this.#openStreams.enter(caller, address);
    const stop = new AbortController();
    const unwatch = this.#credentials.watch(caller, () => stop.abort(new TroupeError("unauthenticated", notValid)));
    const closed = Promise.withResolvers<void>();
    this.#open.add(closed.promise);
    let isOpen = true;
    const close = (): void => {
      if (!isOpen) return;
      isOpen = false;
      unwatch();
      leave();
      stop.abort();
      this.#open.delete(closed.promise);
      closed.resolve();
    };
    return { signal: gone ? AbortSignal.any([stop.signal, gone]) : stop.signal, close };
  }

  /** Resolves when every stream that is open now is closed. */
  async closed(): Promise<void> {
    await Promise.all(this.#open);
  }
}
