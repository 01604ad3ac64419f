/** Names of the marks that tell how a run stands beside its status: each of its pauses, by the attempt that paused, that it was rejected, and what it made. */

/** Name of the mark of a run that rejected what it was asked, and the type of its error. */
export const rejectedType = "rejected";

/** Whom a paused run waits for: its caller, or somebody who may approve. */
export type AwaitedBy = "answer" | "approval";

/** All names of pauses begin with it. */
export const pausePrefix = "paused/";

/** Body: `PauseMark`. Its time is that of the pause. */
export function pauseName(attempt: number | string, awaited: AwaitedBy): string {
  return `${pausePrefix}${attempt}/${awaited}`;
}

/** What the mark of a pause holds. */
export interface PauseMark {
  /** Index of the event that tells the pause. */
  readonly index: number;
}

/** All names of exchanges begin with it. */
export const exchangePrefix = "exchange/";

/** Body: what was asked and what was said to it, in the words of the interface that took the answer. */
export function exchangeName(attempt: number): string {
  return `${exchangePrefix}${attempt}`;
}

/** All names of artifacts begin with it. */
export const artifactPrefix = "artifact/";

/** Body: `MadeArtifact`, told by the event of this index. */
export function artifactName(index: number): string {
  return `${artifactPrefix}${index}`;
}

/** The end of the range of names that begin with a prefix, which ends in `/`. */
export function afterPrefix(prefix: string): string {
  return `${prefix.slice(0, -1)}0`;
}
