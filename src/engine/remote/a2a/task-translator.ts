/**
 * Translates another server's task to events of a run here. An emitted event is never withdrawn or repeated: the emitted text is always the
 * beginning of an answer that the task once had. After a gap only complete artifacts are emitted, and the task's own record determines
 * the answer.
 */

import type { ComponentKind } from "../../../model/run/run.ts";
import { rejectedType } from "../../../model/run/run-marks.ts";
import type { UpstreamEvent, UpstreamQuestion, UpstreamRun } from "../upstream.ts";
import { type FilePiece, wholeFiles } from "./files.ts";
import type { RemoteTask, TaskPiece } from "./parser.ts";

const endings = {
  completed: "RunCompleted",
  failed: "RunError",
  rejected: "RunError",
  canceled: "RunCancelled",
  paused: "RunPaused",
} as const;

/** A task for which earlier attempts have emitted events. */
export interface EmittedTask {
  readonly run: UpstreamRun;
  /** The text in this server's log. */
  readonly emittedText: string;
}

/** Maximum size of all files of one task, in characters of base64; later files are left out. */
const maxFileCharacters = 64 * 1024 * 1024;

export class TaskTranslator {
  readonly #kind: ComponentKind;
  readonly #second: number;
  #run: UpstreamRun | undefined;
  /** Texts of artifacts by id, in the order of their arrival: the answer. */
  readonly #texts = new Map<string, string>();
  /** Files of artifacts, by their ids. */
  readonly #files = new Map<string, readonly FilePiece[]>();
  #fileCharacters = 0;
  #emitted: string;
  /** The last artifact, while the answer equals the emitted text: text appended to it can be emitted at once. */
  #appendable: string | undefined;
  /** Whether the answer no longer begins with the emitted text, so that nothing appended to it can be emitted. */
  #hasDiverged = false;
  /** After a gap: the artifacts that are complete because they have started again. */
  #complete: Set<string> | undefined;
  #isOver = false;
  #needsRecord = false;
  #lastId: string | undefined;
  #answered: UpstreamQuestion | undefined;

  /** @param kind kind of the component here: it determines the events' names */
  constructor(now: number, earlier?: EmittedTask, kind: ComponentKind = "agent") {
    this.#kind = kind;
    this.#second = Math.floor(now / 1000);
    this.#run = earlier?.run;
    this.#emitted = earlier?.emittedText ?? "";
    if (earlier) this.markGap();
  }

  get taskId(): string | undefined {
    return this.#run?.runId;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Whether the task is completed and only its record has the answer. */
  get needsRecord(): boolean {
    return this.#needsRecord;
  }

  /** Id of the last processed frame that had one. */
  get lastId(): string | undefined {
    return this.#lastId;
  }

  /** Marks a gap: the positions of appended pieces are unknown from now on. */
  markGap(): void {
    this.#complete = new Set();
    this.#appendable = undefined;
  }

  /** Loads a task whose question is about to be answered; nothing changes there before the answer. */
  loadTask(task: RemoteTask): void {
    this.#replacePieces(task);
    this.#complete = undefined;
    this.#answered = task.question;
  }

  /** Returns the events of a stream's item or of an answer. @param frameId id of its frame */
  *take(task: RemoteTask, frameId?: string): Generator<UpstreamEvent> {
    // The id is sent back in a header.
    if (frameId !== undefined && /^[\x21-\x7e]{1,200}$/.test(frameId)) this.#lastId = frameId;
    if (this.#isOver || this.#needsRecord) return;
    if (!this.#run) {
      this.#run = { runId: task.id, sessionId: task.contextId };
      yield this.#event("RunStarted", {});
    }
    for (const piece of task.pieces) yield* this.#take(piece, task.isRecord);
    // The state before the answer arrived there.
    if (task.isRecord && task.question && task.question.id === this.#answered?.id) return;
    if (task.ending === "completed" && this.#complete && !task.isRecord) this.#needsRecord = true;
    else yield* this.end(task);
  }

  /** Replaces texts and files by the ones in the task's record. */
  #replacePieces({ pieces }: RemoteTask): void {
    this.#texts.clear();
    this.#files.clear();
    this.#fileCharacters = 0;
    for (const { id, text, files } of pieces) {
      this.#texts.set(id, text);
      this.#files.set(id, this.#bounded(files));
    }
  }

  #bounded(files: readonly FilePiece[]): readonly FilePiece[] {
    return files.filter(({ media: { data, url = "" } }) => {
      this.#fileCharacters += (data ?? url).length;
      return this.#fileCharacters <= maxFileCharacters;
    });
  }

  *#take({ id, text, files, isMore }: TaskPiece, isRecord: boolean): Generator<UpstreamEvent> {
    if (isMore && this.#complete && !this.#complete.has(id)) return;
    if (files.length > 0 || !isMore)
      this.#files.set(id, [...(isMore ? (this.#files.get(id) ?? []) : []), ...this.#bounded(files)]);
    this.#texts.set(id, isMore ? (this.#texts.get(id) ?? "") + text : text);
    if (isMore && this.#appendable === id) {
      this.#emitted += text;
      if (text !== "" && this.#kind !== "workflow") yield this.#content(text);
      return;
    }
    if (!isMore) {
      this.#hasDiverged = false;
      // A record is complete for its moment, but pieces may be missing between it and the next one.
      if (!isRecord) this.#complete?.add(id);
    }
    this.#appendable = undefined;
    // Compares texts once instead of for every piece: most of a stream that is replayed from its beginning has already been emitted.
    if (this.#hasDiverged || this.#size() < this.#emitted.length) return;
    const answer = this.#answer();
    this.#hasDiverged = !answer.startsWith(this.#emitted);
    yield* this.#emitRest(answer);
    if (!this.#hasDiverged && text !== "" && [...this.#texts.keys()].at(-1) === id) this.#appendable = id;
  }

  /** Emits the end from the task's record, or from a stream without a gap. */
  *end(task: RemoteTask): Generator<UpstreamEvent> {
    const { ending, text, pieces, isRecord } = task;
    if (!ending) return;
    this.#isOver = true;
    if (isRecord && pieces.length > 0) this.#replacePieces(task);
    const content = ending === "completed" ? this.#answer() || text : text;
    if (ending === "completed") yield* this.#emitRest(content);
    const media = wholeFiles([...[...this.#files.values()].flat(), ...task.files]);
    // A workflow's question cannot be answered from here.
    const question = this.#kind === "workflow" ? undefined : task.question;
    const why = ending === "rejected" && { error_type: rejectedType };
    yield { ...this.#event(endings[ending], { content, content_type: "str", ...why }), question, media };
  }

  #answer(): string {
    return [...this.#texts.values()].filter((text) => text !== "").join("\n");
  }

  /** Number of characters of the answer. */
  #size(): number {
    let size = -1;
    for (const text of this.#texts.values()) if (text !== "") size += text.length + 1;
    return Math.max(size, 0);
  }

  /** Emits the part of an answer after the emitted text. A replaced text cannot be emitted; the final event has the right answer. */
  *#emitRest(answer: string): Generator<UpstreamEvent> {
    if (this.#kind === "workflow") return;
    if (answer.length <= this.#emitted.length || !answer.startsWith(this.#emitted)) return;
    yield this.#content(answer.slice(this.#emitted.length));
    this.#emitted = answer;
  }

  #content(content: string): UpstreamEvent {
    return this.#event("RunContent", { content, content_type: "str" });
  }

  /** The event's name for the kind of component. Workflows have no event for pieces of an answer. */
  #nameOf(agentEventName: string): string {
    if (this.#kind === "team") return `Team${agentEventName}`;
    return this.#kind === "workflow" ? agentEventName.replace(/^Run/, "Workflow") : agentEventName;
  }

  #event(event: string, fields: object): UpstreamEvent {
    const { runId, sessionId } = this.#run as UpstreamRun;
    const data = {
      created_at: this.#second,
      event: this.#nameOf(event),
      run_id: runId,
      session_id: sessionId,
      ...fields,
    };
    return { data: JSON.stringify(data), index: undefined };
  }
}
