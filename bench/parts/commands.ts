/** Commands between the bench's processes. */
import type { RetainedKind } from "../../src/model/retention.ts";
import type { Count } from "./counted-work.ts";
import type { Commit } from "./timed-commits.ts";

/** State of a server process at a moment. */
export interface Mark {
  readonly at: number;
  /** Milliseconds of CPU used so far by all its threads. */
  readonly cpu: number;
  /** Event loop delay in milliseconds since the previous mark. */
  readonly loopP99: number;
  readonly loopMax: number;
  /** Resident bytes. */
  readonly rss: number;
  readonly heap: number;
}

/** Memory of a server process and its parts, in bytes. */
export interface Memory {
  /** All resident memory. */
  readonly resident: number;
  /** Resident anonymous memory: the heap, buffers and everything that libraries allocate. */
  readonly anonymous: number;
  /** V8's heap, as reserved and as used. */
  readonly heap: number;
  readonly heapUsed: number;
  /** Array buffers, most of them of Node's `Buffer`. */
  readonly buffers: number;
}

export type MeasureCommands = {
  memory: (_: undefined) => Memory;
  /** Milliseconds of CPU used so far by all its threads. */
  cpu: (_: undefined) => number;
  mark: (_: undefined) => Mark;
  /** Collects garbage. */
  collect: (_: undefined) => void;
  profile: (_: undefined) => Promise<void>;
  saveProfile: (input: { file: string }) => Promise<void>;
};

export type ReferenceCommands = MeasureCommands & {
  listen: (_: undefined) => Promise<number>;
  /** Frames to send, and their rate; 0 sends all at once. A held stream stays open after frames that are sent at once. */
  send: (input: { frames: readonly string[]; perSecond: number; held?: boolean }) => void;
};

/** The database to use. */
export interface ListenInput {
  readonly database?: string;
  readonly dataDir?: string;
}

export type TroupeCommands = MeasureCommands & {
  /** Flushes since the previous call, if the store is a `timed` one. */
  commits: (_: undefined) => Commit[];
  listen: (input: ListenInput) => Promise<number>;
  /** Begins to count statements, bytes and allocations, if the process was started with `BENCH_COUNT`. */
  beginCounting: (input: { port: number }) => Promise<void>;
  takeCounts: (_: undefined) => Promise<readonly Count[]>;
  /** Each returns the milliseconds of each call of the store; see `store-calls.ts`. */
  flushes: (input: { count: number }) => Promise<readonly number[]>;
  claims: (input: { count: number }) => Promise<readonly number[]>;
  removals: (input: { kind: RetainedKind; count: number; age: number }) => Promise<readonly number[]>;
  /** Number of extractions of memories so far. */
  extractions: (_: undefined) => Promise<number>;
  /** Resolves when so many extractions are stored. */
  extracted: (input: { count: number }) => Promise<void>;
  /** Resolves when every finished log is compacted. */
  compacted: (_: undefined) => Promise<void>;
  /** Compacts every finished log now, for a server with a long compaction interval. */
  compact: (_: undefined) => Promise<void>;
};

/** Streams that begin together, in several rounds. */
export interface BurstInput {
  readonly port: number;
  /** Texts of the requests, used in turn. */
  readonly requests: readonly string[];
  readonly connections: number;
  readonly rounds: number;
  /** Whether the stream omits some events of the log. */
  readonly hasGaps?: boolean;
}

/** Runs of a workflow over web sockets that begin together, in several rounds. */
export interface SocketBurstInput {
  readonly port: number;
  readonly workflowId: string;
  readonly connections: number;
  readonly rounds: number;
}

export interface BurstResult {
  readonly events: number;
  /** Duration of all rounds, without the pauses between them. */
  readonly seconds: number;
  readonly firstP50: number;
  readonly firstP99: number;
  /** Milliseconds from the beginning of a round to the end of a stream. */
  readonly wholeP50: number;
  readonly runIds: readonly string[];
}

/** A constant number of open streams. */
export interface KeepInput {
  /** Ports of the servers, used in turn. */
  readonly ports: readonly number[];
  readonly request: string;
  /** Requests for the first run of each stream, used in turn. Default: `request`. */
  readonly first?: readonly string[];
  readonly connections: number;
  /** Milliseconds over which the streams begin. */
  readonly ramp: number;
  /** Whether to request a stream again when it ends. */
  readonly again: boolean;
}

/** Events received since the previous window. */
export interface Window {
  readonly events: number;
  readonly ended: number;
  readonly latencyP50: number;
  readonly latencyP99: number;
  readonly faults: readonly string[];
}

export interface RequestsInput {
  readonly port: number;
  /** Text of the request, or several used in turn. */
  readonly request: string | readonly string[];
  readonly connections: number;
  readonly total: number;
}

export interface RequestsResult {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** Milliseconds of each request, in order. */
  readonly each: readonly number[];
}

export type LoadCommands = {
  burst: (input: BurstInput) => Promise<BurstResult>;
  socketBurst: (input: SocketBurstInput) => Promise<{ readonly seconds: number }>;
  keep: (input: KeepInput) => Promise<void>;
  window: (_: undefined) => Window;
  /** Ends the open streams: when their runs end, or at once. With `cancel`, the path of the runs, it cancels them first. */
  release: (input: { wait: boolean; cancel?: string }) => Promise<void>;
  requests: (input: RequestsInput) => Promise<RequestsResult>;
  /** Returns the frames of one stream, for the reference server to send. */
  capture: (input: { port: number; request: string }) => Promise<readonly string[]>;
  /** Starts a run, does not follow it, and returns its id. */
  start: (input: { port: number; request: string }) => Promise<string>;
};
