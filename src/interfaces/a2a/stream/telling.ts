/** How the facts of a run are told: which events of A2A stand for each of them. */
import type { Media } from "../../../model/message.ts";
import type { A2aEvent, TaskName } from "../protocol.ts";
import type { Fact } from "./facts.ts";

/** What is known of a task before it is told. */
export interface ToldTask extends TaskName {
  /** Most messages of its history that are shown. */
  readonly historyLength?: number | undefined;
  /** Types of parts that the client takes. */
  readonly accepted?: readonly string[] | undefined;
}

/** Which of two forms a piece of the answer has: the first of an artifact, and those that are added to it, may differ. */
export type PieceForm = "first" | "more";

/** Tells one run; what it remembers is bounded, and follows from the facts alone. */
export interface Telling {
  /** Whether it must be told everything from the first event on, also what its reader has: else it begins wherever the reader is. */
  readonly remembers: boolean;
  /** Takes in a piece of the answer of so many characters: the form in which it is told. */
  piece(length: number): PieceForm;
  /** A piece of the answer in a form. */
  pieceEvent(form: PieceForm, text: string): A2aEvent;
  /** Everything else. `files` are those that the run has made, for a fact that ends it. */
  tell(fact: Fact, files: readonly Media[]): readonly A2aEvent[];
}
