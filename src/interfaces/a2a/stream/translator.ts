/** The contract of translators, which turn a run's facts into A2A events. */
import type { Media } from "../../../model/run/message.ts";
import type { A2aEvent, TaskName } from "../protocol.ts";
import type { Fact } from "./facts.ts";

/** The properties of a task that translators need. */
export interface TranslatedTask extends TaskName {
  /** Maximum number of history messages that are shown. */
  readonly historyLength?: number | undefined;
  /** Output types that the client accepts. */
  readonly accepted?: readonly string[] | undefined;
}

/** The form of an answer's chunk: the first chunk of an artifact may differ from appended ones. */
export type ChunkForm = "first" | "more";

/** Translates one run. Its state is bounded and depends on the facts alone. */
export interface Translator {
  /** Whether it must see every event from the first one on, even if the reader has received it; otherwise it begins at the reader's cursor. */
  readonly remembers: boolean;
  /** Counts a chunk of the answer of this length in characters, and returns the form of its event. */
  countChunk(length: number): ChunkForm;
  /** The event of a chunk in a form. */
  chunkEvent(form: ChunkForm, text: string): A2aEvent;
  /** Translates every other fact. `files` are the files that the run has made, if the fact ends it. */
  translate(fact: Fact, files: readonly Media[]): readonly A2aEvent[];
}
