/**
 * The types of A2A in the object form of specification 0.3, which is also this server's neutral form. JSON of 0.3 is this form unchanged, except for
 * the 1.0 members of texts and data (`standard/formats.ts`); JSON of 1.0 is converted from it (`version-1.ts`).
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

/** A file's content: base64, or a URI. */
export interface FileContent {
  readonly bytes?: string;
  readonly uri?: string;
  readonly mimeType?: string;
  readonly name?: string;
}

/** Members that 1.0 has on every part; 0.3 has them on files only, under other names. */
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

/** A part of a message or of an artifact. */
export type Part = TextPart | FilePart | DataPart;

/** One message of the user or of the agent. */
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

/** A result of a task. */
export interface Artifact {
  readonly artifactId: string;
  readonly name?: string;
  readonly description?: string;
  readonly parts: readonly Part[];
  readonly metadata?: Metadata;
}

/** The A2A form of a run: its id is the run's id, its context is the session. */
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
  /** Whether the stream ends with this update. */
  readonly final: boolean;
  readonly metadata?: Metadata;
}

export interface ArtifactUpdate {
  readonly kind: "artifact-update";
  readonly taskId: string;
  readonly contextId: string;
  readonly artifact: Artifact;
  /** Whether its parts are appended to the parts that were sent before. */
  readonly append: boolean;
  readonly lastChunk: boolean;
  readonly metadata?: Metadata;
}

/** An item of a stream. */
export type A2aEvent = Task | Message | StatusUpdate | ArtifactUpdate;

/** Identifies a task. */
export interface TaskName {
  readonly taskId: string;
  readonly contextId: string;
}
