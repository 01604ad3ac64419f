/** The contract for wake-up signals between the parts of one process, and between processes. */

/** The subject of a signal. A signal is only a wake-up: it may arrive twice, late or never. The tables hold the truth. */
export type Signal =
  /** The run's log or state changed. */
  | { readonly topic: "run"; readonly key: number }
  /** A cancel of the run was requested. */
  | { readonly topic: "cancel"; readonly key: number }
  /** A caller put a message into the run. */
  | { readonly topic: "steer"; readonly key: number }
  /** The run was deleted: discard everything cached about it. */
  | { readonly topic: "deleted"; readonly key: number }
  /** The component versions that runs use have changed. */
  | { readonly topic: "components" }
  /** A run is ready to be claimed. */
  | { readonly topic: "work" }
  /** Signals may have been lost: check everything you follow. */
  | { readonly topic: "all" };

/** Wake-up signals between the parts of one process, and between processes. */
export interface Signals {
  publish(signal: Signal): void;
  /** Publishes to this process only. */
  publishHere(signal: Signal): void;
  /** Calls the listener for every signal, from this process or another. The returned function unsubscribes it. */
  listen(listener: (signal: Signal) => void): () => void;
  close(): Promise<void>;
}
