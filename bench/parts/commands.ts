/** What the bench's processes ask each other. */
import type { Commit } from "./timed-commits.ts";

/** State of a server process at a moment. */
export interface Mark {
  readonly at: number;
  /** Milliseconds of CPU that all its threads have taken so far. */
  readonly cpu: number;
  /** Milliseconds by which the event loop was late since the mark before. */
  readonly loopP99: number;
  readonly loopMax: number;
  /** Resident bytes. */
  readonly rss: number;
  readonly heap: number;
}

export type MeasureCommands = {
  /** Milliseconds of CPU that all its threads have taken so far. */
  cpu: (_: undefined) => number;
  mark: (_: undefined) => Mark;
  /** Collects garbage, where the process was started with `--expose-gc`. */
  collect: (_: undefined) => void;
  profile: (_: undefined) => Promise<void>;
  saveProfile: (input: { file: string }) => Promise<void>;
};

export type ReferenceCommands = MeasureCommands & {
  listen: (_: undefined) => Promise<number>;
  /** What to send, and at which pace; 0 sends all at once. */
  send: (input: { frames: readonly string[]; perSecond: number }) => void;
};

/** Which database. */
export interface ListenInput {
  readonly database?: string;
  readonly dataDir?: string;
}

export type TroupeCommands = MeasureCommands & {
  /** Flushes since the last question, where the store is a `timed` one. */
  commits: (_: undefined) => Commit[];
  listen: (input: ListenInput) => Promise<number>;
  /** Resolves when every finished log is compacted. */
  compacted: (_: undefined) => Promise<void>;
};

/** Streams that begin together, round after round. */
export interface BurstInput {
  readonly port: number;
  /** The requests' texts, taken in turn. */
  readonly requests: readonly string[];
  readonly connections: number;
  readonly rounds: number;
  /** Whether not every event of the log is told. */
  readonly hasGaps?: boolean;
}

export interface BurstResult {
  readonly events: number;
  /** All rounds together, without the pauses between them. */
  readonly seconds: number;
  readonly firstP50: number;
  readonly firstP99: number;
  /** Milliseconds from a round's begin to the end of a stream. */
  readonly wholeP50: number;
  readonly runIds: readonly string[];
}

/** Streams that are kept up. */
export interface KeepInput {
  /** Servers, taken in turn. */
  readonly ports: readonly number[];
  readonly request: string;
  readonly connections: number;
  /** Milliseconds over which they begin. */
  readonly ramp: number;
  /** Whether a stream that ends is asked for again. */
  readonly again: boolean;
}

/** What came since the window before. */
export interface Window {
  readonly events: number;
  readonly ended: number;
  readonly latencyP50: number;
  readonly latencyP99: number;
  readonly faults: readonly string[];
}

export interface RequestsInput {
  readonly port: number;
  /** The request's text; of several, each in turn. */
  readonly request: string | readonly string[];
  readonly connections: number;
  readonly total: number;
}

export interface RequestsResult {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** Milliseconds of each request in turn. */
  readonly each: readonly number[];
}

export type LoadCommands = {
  burst: (input: BurstInput) => Promise<BurstResult>;
  keep: (input: KeepInput) => Promise<void>;
  window: (_: undefined) => Window;
  /** Ends what is kept: at the end of its runs, or now. */
  release: (input: { wait: boolean }) => Promise<void>;
  requests: (input: RequestsInput) => Promise<RequestsResult>;
  /** The frames of one stream, for the reference to send. */
  capture: (input: { port: number; request: string }) => Promise<readonly string[]>;
  /** The id of a run that is started and left alone. */
  start: (input: { port: number; request: string }) => Promise<string>;
};
