/**
 * What A2A speaks of, in the object form of its specification 0.3. It is this server's neutral form, too: JSON of 0.3 is it as it stands, but for
 * what 1.0 says of texts and data (`standard/dialects.ts`); JSON of 1.0 is made from it (`version-1.ts`).
 */

/** States of a task. */
export type TaskState =
  | "submitted"
  | "working"
  | "input-required"
  | "auth-required"
  | "completed"
  | "canceled"
  | "failed"
  | "rejected";

export type Metadata = Readonly<Record<string, unknown>>;

/** A file's content: base64, or where it is. */
export interface FileContent {
  readonly bytes?: string;
  readonly uri?: string;
  readonly mimeType?: string;
  readonly name?: string;
}

/** What 1.0 says of every part; 0.3 says it of files only, in members of their own. */
interface PartDetails {
  readonly mediaType?: string;
  readonly filename?: string;
  readonly metadata?: Metadata;
}

export interface TextPart extends PartDetails {
  readonly kind: "text";
  readonly text: string;
}

export interface FilePart {
  readonly kind: "file";
  readonly file: FileContent;
  readonly metadata?: Metadata;
}

export interface DataPart extends PartDetails {
  readonly kind: "data";
  readonly data: unknown;
}

/** A piece of a message or of an artifact. */
export type Part = TextPart | FilePart | DataPart;

/** One thing said by one side. */
export interface Message {
  readonly kind: "message";
  readonly messageId: string;
  readonly role: "user" | "agent";
  readonly parts: readonly Part[];
  readonly contextId?: string;
  readonly taskId?: string;
  readonly metadata?: Metadata;
  readonly extensions?: readonly string[];
  readonly referenceTaskIds?: readonly string[];
}

export interface TaskStatus {
  readonly state: TaskState;
  readonly message?: Message;
  /** ISO 8601. */
  readonly timestamp?: string;
}

/** Something that a task has made. */
export interface Artifact {
  readonly artifactId: string;
  readonly name?: string;
  readonly description?: string;
  readonly parts: readonly Part[];
  readonly metadata?: Metadata;
}

/** A run, as A2A sees it: its id is the run's, its context the session. */
export interface Task {
  readonly kind: "task";
  readonly id: string;
  readonly contextId: string;
  readonly status: TaskStatus;
  readonly history?: readonly Message[];
  readonly artifacts?: readonly Artifact[];
  readonly metadata?: Metadata;
}

export interface StatusUpdate {
  readonly kind: "status-update";
  readonly taskId: string;
  readonly contextId: string;
  readonly status: TaskStatus;
  /** Whether the stream ends with it. */
  readonly final: boolean;
  readonly metadata?: Metadata;
}

export interface ArtifactUpdate {
  readonly kind: "artifact-update";
  readonly taskId: string;
  readonly contextId: string;
  readonly artifact: Artifact;
  /** Whether its parts are added to those that were sent before. */
  readonly append: boolean;
  readonly lastChunk: boolean;
  readonly metadata?: Metadata;
}

/** What stands in a stream. */
export type A2aEvent = Task | Message | StatusUpdate | ArtifactUpdate;

/** Which task it is that is told of. */
export interface TaskName {
  readonly taskId: string;
  readonly contextId: string;
}
