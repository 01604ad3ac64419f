/**
 * A task of another server as events of a run here. What was told here is never taken back and never repeated: the pieces of text are, put
 * together, always the beginning of an answer that the task once had. Where something may have been missed, only what is known whole is told,
 * and the task's own record says what the answer is.
 */

import type { ComponentKind } from "../../../model/run.ts";
import { rejectedType } from "../../../model/run-marks.ts";
import type { UpstreamEvent, UpstreamQuestion, UpstreamRun } from "../upstream.ts";
import { type FilePiece, wholeFiles } from "./files.ts";
import type { Piece, RemoteTask } from "./parser.ts";

const endings = {
  completed: "RunCompleted",
  failed: "RunError",
  rejected: "RunError",
  canceled: "RunCancelled",
  paused: "RunPaused",
} as const;

/** What is known of a task that was told of before. */
export interface EarlierTask {
  readonly run: UpstreamRun;
  /** The text that stands in the log here. */
  readonly told: string;
}

/** Characters that the files of one task may have together, as base64; of more, the later ones are left out. */
const mostFileCharacters = 64 * 1024 * 1024;

export class TaskEvents {
  readonly #kind: ComponentKind;
  readonly #second: number;
  #run: UpstreamRun | undefined;
  /** Texts of artifacts, by their ids, in the order in which they came: the answer. */
  readonly #texts = new Map<string, string>();
  /** Files of artifacts, by their ids. */
  readonly #files = new Map<string, readonly FilePiece[]>();
  #fileCharacters = 0;
  #told: string;
  /** The artifact that came last, while the answer is just what was told: then what is added to it is what is to be told. */
  #level: string | undefined;
  /** Whether the answer is another one than what was told began: then nothing that is added to it can be told. */
  #isAnother = false;
  /** After a gap: the artifacts of which everything is known nevertheless, having begun anew. */
  #whole: Set<string> | undefined;
  #isOver = false;
  #endsUnseen = false;
  #lastId: string | undefined;
  #answered: UpstreamQuestion | undefined;

  /** @param kind of the component here: it names the events */
  constructor(now: number, earlier?: EarlierTask, kind: ComponentKind = "agent") {
    this.#kind = kind;
    this.#second = Math.floor(now / 1000);
    this.#run = earlier?.run;
    this.#told = earlier?.told ?? "";
    if (earlier) this.missed();
  }

  get taskId(): string | undefined {
    return this.#run?.runId;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Whether the task is completed, and only its record can say with which answer. */
  get endsUnseen(): boolean {
    return this.#endsUnseen;
  }

  /** Id of the last frame that was taken and had one. */
  get lastId(): string | undefined {
    return this.#lastId;
  }

  /** Says that something may have been missed: pieces that are added to others cannot be placed any more. */
  missed(): void {
    this.#whole = new Set();
    this.#level = undefined;
  }

  /** Takes up a task that waits for the answer to a question, which is about to be given: nothing happens before that. */
  takeUp(task: RemoteTask): void {
    this.#readAnew(task);
    this.#whole = undefined;
    this.#answered = task.question;
  }

  /** What an item of a stream, or an answer, tells. @param frameId id of the frame that it came in */
  *take(task: RemoteTask, frameId?: string): Generator<UpstreamEvent> {
    // It is sent back in a header.
    if (frameId !== undefined && /^[\x21-\x7e]{1,200}$/.test(frameId)) this.#lastId = frameId;
    if (this.#isOver || this.#endsUnseen) return;
    if (!this.#run) {
      this.#run = { runId: task.id, sessionId: task.contextId };
      yield this.#event("RunStarted", {});
    }
    for (const piece of task.pieces) yield* this.#take(piece, task.isRecord);
    // How it was before the answer came to it.
    if (task.isRecord && task.question && task.question.id === this.#answered?.id) return;
    if (task.ending === "completed" && this.#whole && !task.isRecord) this.#endsUnseen = true;
    else yield* this.end(task);
  }

  /** What the task has made, as its record has it. */
  #readAnew({ pieces }: RemoteTask): void {
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
      return this.#fileCharacters <= mostFileCharacters;
    });
  }

  *#take({ id, text, files, isMore }: Piece, isRecord: boolean): Generator<UpstreamEvent> {
    if (isMore && this.#whole && !this.#whole.has(id)) return;
    if (files.length > 0 || !isMore)
      this.#files.set(id, [...(isMore ? (this.#files.get(id) ?? []) : []), ...this.#bounded(files)]);
    this.#texts.set(id, isMore ? (this.#texts.get(id) ?? "") + text : text);
    if (isMore && this.#level === id) {
      this.#told += text;
      if (text !== "" && this.#kind !== "workflow") yield this.#content(text);
      return;
    }
    if (!isMore) {
      this.#isAnother = false;
      // A record is whole at its moment, but what comes next may be later than that by more than one piece.
      if (!isRecord) this.#whole?.add(id);
    }
    this.#level = undefined;
    // Texts are compared once, not with every piece: a stream that is told again from its beginning has been told for a long time.
    if (this.#isAnother || this.#size() < this.#told.length) return;
    const answer = this.#answer();
    this.#isAnother = !answer.startsWith(this.#told);
    yield* this.#tell(answer);
    if (!this.#isAnother && text !== "" && [...this.#texts.keys()].at(-1) === id) this.#level = id;
  }

  /** The end as the task's record, or a stream without a gap, tells it. */
  *end(task: RemoteTask): Generator<UpstreamEvent> {
    const { ending, said, pieces, isRecord } = task;
    if (!ending) return;
    this.#isOver = true;
    if (isRecord && pieces.length > 0) this.#readAnew(task);
    const content = ending === "completed" ? this.#answer() || said : said;
    if (ending === "completed") yield* this.#tell(content);
    const media = wholeFiles([...[...this.#files.values()].flat(), ...task.files]);
    // What a workflow asks cannot be answered from here.
    const question = this.#kind === "workflow" ? undefined : task.question;
    const why = ending === "rejected" && { error_type: rejectedType };
    yield { ...this.#event(endings[ending], { content, content_type: "str", ...why }), question, media };
  }

  #answer(): string {
    return [...this.#texts.values()].filter((text) => text !== "").join("\n");
  }

  /** Characters of the answer. */
  #size(): number {
    let size = -1;
    for (const text of this.#texts.values()) if (text !== "") size += text.length + 1;
    return Math.max(size, 0);
  }

  /** Tells what an answer has beyond what was told. What takes the place of something else cannot be told: the end is right. */
  *#tell(answer: string): Generator<UpstreamEvent> {
    if (this.#kind === "workflow") return;
    if (answer.length <= this.#told.length || !answer.startsWith(this.#told)) return;
    yield this.#content(answer.slice(this.#told.length));
    this.#told = answer;
  }

  #content(content: string): UpstreamEvent {
    return this.#event("RunContent", { content, content_type: "str" });
  }

  /** Pieces of an answer are an agent's or a team's: workflows have no such event. */
  #nameOf(agentsName: string): string {
    if (this.#kind === "team") return `Team${agentsName}`;
    return this.#kind === "workflow" ? agentsName.replace(/^Run/, "Workflow") : agentsName;
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
