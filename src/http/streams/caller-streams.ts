/** Streams of interfaces without a Fastify request: they count for their caller, and they end with its credential. */
import { TroupeError } from "../../errors.ts";
import type { Principal } from "../../model/principal.ts";
import type { CredentialWatch } from "./credential-watch.ts";
import type { OpenStreams } from "./open-streams.ts";

/** One open stream of a caller. */
export interface CallerStream {
  /** Aborts when the stream is closed, or, with an error `unauthenticated` as its reason, when the caller's credential is no longer valid. */
  readonly signal: AbortSignal;
  /** Ends the stream. The interface calls it when the client disconnects, and when all events are sent. */
  close(): void;
}

/** Opens streams for callers. */
export interface CallerStreams {
  /**
   * Opens a stream; `address` is the client's. With authorization on, a caller has at most `maxStreamsPerCaller` streams on all interfaces together.
   *
   * @throws TroupeError `tooManyRequests`
   */
  open(caller: Principal, address: string): CallerStream;
}

const notValid = "The credential is no longer valid: authenticate again and follow from your cursor.";

/** Streams that share their count and their credential checks with HTTP. */
export function callerStreams(
  openStreams: Pick<OpenStreams, "enter">,
  credentials: Pick<CredentialWatch, "watch">,
): CallerStreams {
  return {
    open(caller, address) {
      const leave = openStreams.enter(caller, address);
      const stop = new AbortController();
      const unwatch = credentials.watch(caller, () => stop.abort(new TroupeError("unauthenticated", notValid)));
      let isOpen = true;
      const close = (): void => {
        if (!isOpen) return;
        isOpen = false;
        unwatch();
        leave();
        stop.abort();
      };
      return { signal: stop.signal, close };
    },
  };
}
