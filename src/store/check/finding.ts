/** Results of a deep check. */

/** Something that is wrong, and what to do about it. */
export interface Finding {
  readonly problem: string;
  readonly remedy: string;
}

/** Reads rows with a statement that changes nothing. */
export type ReadRows = <Row>(text: string) => Promise<readonly Row[]> | readonly Row[];

/** Receives progress: a step, and the share of it that is done (0 to 1). */
export type OnProgress = (step: string, share: number) => void;
