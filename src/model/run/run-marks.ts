/** Names of marks. A mark records facts about a run in addition to its status: its pauses, its rejection, its exchanges and its artifacts. */

/** Name of the mark of a run that rejected its task, and the type of its error. */
export const rejectedType = "rejected";

/** The principal that must answer a paused run: its caller (`answer`), or a principal that may approve (`approval`). */
export type AwaitedBy = "answer" | "approval";

/** Prefix of the names of pause marks. */
export const pausePrefix = "paused/";

/** The mark of a pause, by the attempt that paused. Body: `PauseMark`. Its time is the time of the pause. */
export function pauseName(attempt: number | string, awaited: AwaitedBy): string {
  return `${pausePrefix}${attempt}/${awaited}`;
}

/** Body of the mark of a pause. */
export interface PauseMark {
  /** Index of the event of the pause. */
  readonly index: number;
}

const answeredPrefix = "answered:";

/** The mark of the answers to a pause, by the attempt that paused. Its time is the time of the answers. */
export function answeredName(attempt: number): string {
  return `${answeredPrefix}${attempt}`;
}

/** Returns the attempt whose pause the mark answers; undefined for other marks. */
export function attemptAnswered(name: string): string | undefined {
  return name.startsWith(answeredPrefix) ? name.slice(answeredPrefix.length) : undefined;
}

/** Prefix of the names of exchange marks. */
export const exchangePrefix = "exchange/";

/** The mark of an exchange. Body: the question and the answer, in the format of the interface that received the answer. */
export function exchangeName(attempt: number): string {
  return `${exchangePrefix}${attempt}`;
}

/** Prefix of the names of marks of model requests that are not turns. */
export const requestPrefix = "request/";

/** The mark of a model request that is not a turn. Body: `RecordedRequest`. */
export function requestName(name: string): string {
  return `${requestPrefix}${name}`;
}

/** Prefix of the names of artifact marks. */
export const artifactPrefix = "artifact/";

/** The mark of an artifact. Body: `StoredArtifact`; `index` is the index of its event. */
export function artifactName(index: number): string {
  return `${artifactPrefix}${index}`;
}

/** Prefix of the names of marks that hold long tool results. */
export const resultPrefix = "result/";

/** The mark of a part of a stored tool result. Body: the text of the part. `size` is the number of characters of the whole result. */
export function resultName({ id, size }: { readonly id: string; readonly size: number }, part: number): string {
  return `${resultPrefix}${id}/${size}/${part}`;
}

/** The exclusive end of the range of names with a prefix; the prefix must end in `/`. */
export function afterPrefix(prefix: string): string {
  return `${prefix.slice(0, -1)}0`;
}
