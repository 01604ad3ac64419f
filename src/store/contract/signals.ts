/** The seam to the wake-ups between the parts of one process, and between processes. */

/** What a signal is about. A signal is a wake-up only: it may come twice, late or never; the truth is in the tables. */
export type Signal =
  /** The run's log or state moved on. */
  | { readonly topic: "run"; readonly key: number }
  /** Somebody asked for the run to be cancelled. */
  | { readonly topic: "cancel"; readonly key: number }
  /** The run is deleted: what is remembered of it must go. */
  | { readonly topic: "deleted"; readonly key: number }
  /** There is a run to claim. */
  | { readonly topic: "work" }
  /** Signals may have been lost: look at everything you follow. */
  | { readonly topic: "all" };

/** Wake-ups between the parts of one process, and between processes. */
export interface Signals {
  publish(signal: Signal): void;
  /** To this process alone. */
  publishHere(signal: Signal): void;
  /** Calls back for every signal, from this process or another; the returned function ends it. */
  listen(listener: (signal: Signal) => void): () => void;
  close(): Promise<void>;
}
