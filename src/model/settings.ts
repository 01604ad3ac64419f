/** All limits and intervals, with their defaults. A test compares `docs/settings.md` with this table. */

const KiB = 1024;
const MiB = 1024 * KiB;

/** Limits and intervals. Sizes are in bytes, times in milliseconds. */
export interface Settings {
  /** Maximum size of a request body without files. */
  readonly bodyLimit: number;
  /** Maximum size of one uploaded file. */
  readonly fileLimit: number;
  /** Maximum total size of the files of one request: uploads and decoded media items. */
  readonly uploadLimit: number;
  /** Maximum number of files in one request. */
  readonly fileCount: number;
  /** Maximum size of the form field `message`, in UTF-8 bytes. */
  readonly messageLimit: number;
  /** Maximum number of form fields in one request. */
  readonly fieldCount: number;
  /** Time in which a whole request must arrive, including its body. The response may take as long as a run. */
  readonly requestTimeout: number;
  /** Maximum duration of a run, unless its component specifies another one. */
  readonly runTimeout: number;
  /** Maximum number of model turns in one run, unless its component specifies another one. */
  readonly maxSteps: number;
  /** Maximum duration of a tool call, unless the tool specifies another one. */
  readonly toolTimeout: number;
  /** Time in which the server of a remote component must respond. */
  readonly remoteTimeout: number;
  /** Time without data on a stream from the server of a remote component, after which this server reconnects. */
  readonly remoteSilence: number;
  /** Maximum time for a factory to build a component. */
  readonly factoryTimeout: number;
  /** Approximate maximum output of one run, including the runs below it: model answers, results of tools and steps, files and state. */
  readonly maxOutputBytes: number;
  /** Approximate maximum size of one run's log. */
  readonly maxLogBytes: number;
  /** Maximum attempts of one model call on 429, 5xx and overload, including the first. */
  readonly modelTries: number;
  /** Maximum length of a tool result, in characters. A longer result is truncated, with a note. */
  readonly toolResultLimit: number;
  /** Maximum size of a page of a listing. A page of runs ends early and links to the next page; other pages omit large members. */
  readonly listingBytes: number;
  /** Interval of heartbeat comments on every stream. */
  readonly heartbeat: number;
  /**
   * Maximum number of streams, requests that wait for a run, and runs followed on web sockets, that one caller can have open at one
   * process. Beyond it: 429.
   */
  readonly callerStreams: number;
  /** Interval of re-checks of the credentials of open streams. The server closes the streams of a credential that is no longer valid. */
  readonly credentialCheck: number;
  /** Time in which a new web socket must authenticate, if authentication is required. */
  readonly socketAuthentication: number;
  /** Time after which an idle web socket is closed: one that follows no run and sends no request. */
  readonly socketIdle: number;
  /** Bytes not yet sent on one web socket at which the events of its runs are held back. */
  readonly socketBuffer: number;
  /** Bytes of one live run's events that are kept in memory for its followers. */
  readonly ringBytes: number;
  /** Bytes of events that are kept in memory for all live and recently finished runs. */
  readonly ringTotalBytes: number;
  /** Minimum time between the starts of two flushes, while nothing waits for a commit and the next flush is not full. */
  readonly flushInterval: number;
  /** Maximum size of one flush of the group commit. */
  readonly flushBytes: number;
  /** Maximum share of one run in a flush. */
  readonly flushShare: number;
  /** Bytes of one run's events without a commit at which its model stream is held back. */
  readonly pendingBytes: number;
  /** Bytes of all runs' events without a commit at which every model stream is held back. */
  readonly pendingTotalBytes: number;
  /** Poll interval for following a run that another process writes, when no notification arrives. */
  readonly followPoll: number;
  /** Interval at which a process looks for work whose notification was lost. */
  readonly sweep: number;
  /** Duration of a process's lease. */
  readonly lease: number;
  /** Interval at which a process renews its lease. */
  readonly leaseRenewal: number;
  /** Number of consecutive takeovers without a durable step at which a run fails. */
  readonly stalledTakeovers: number;
  /** Maximum number of background runs that one process executes concurrently. */
  readonly backgroundSlots: number;
  /** Maximum number of background runs that wait for a slot, over all processes. Beyond it further starts are rejected with 429. */
  readonly queueLimit: number;
  /** Maximum number of runs of one session that wait for their turn. Beyond it further starts are rejected with 429. */
  readonly sessionQueueLimit: number;
  /** Time in which starts with the same `Idempotency-Key` count as one start. */
  readonly idempotencyWindow: number;
  /** Maximum number of live runs in one process. Beyond it starts are rejected with 503. */
  readonly maxLiveRuns: number;
  /** Time to wait for live runs after SIGTERM, before they are handed over to other processes. */
  readonly grace: number;
  /** Duration of a database outage after which streams are closed without a terminal event. */
  readonly outageLimit: number;
  /** Time for which a request to delete an unfinished run waits for the run to end. */
  readonly deleteWait: number;
  /**
   * Interval at which a process compacts the logs of runs that ended in it. Logs that other processes left behind are compacted at 30 times
   * this interval.
   */
  readonly compactionInterval: number;
  /** Maximum bytes of frames in one row of a compacted log. */
  readonly compactedRowBytes: number;
  /** Interval at which a process looks for schedule fires that other processes created or left behind. */
  readonly scheduleSweep: number;
  /** Delay after which a tick counts as missed: it then fires only according to the schedule's `catchUp`. */
  readonly scheduleLateness: number;
  /** Maximum number of missed ticks that fire for a schedule with `catchUp: "all"`. */
  readonly scheduleCatchUp: number;
  /** Interval at which a process looks for requirements past their deadline that another process created. */
  readonly answerSweep: number;
  /** Maximum number of schedule fires that one process executes concurrently; others wait. */
  readonly scheduleFires: number;
  /** Number of unfinished fires of one schedule at which further ticks are skipped, whatever its `overlap`. */
  readonly scheduleOpen: number;
  /** Maximum number of records per schedule. The oldest are deleted when new ones are added. */
  readonly scheduleRecords: number;
  /** Maximum number of push targets for one task. */
  readonly pushTargets: number;
  /** Maximum number of push notifications that one process sends concurrently; others wait. */
  readonly pushesAtOnce: number;
  /** Maximum size of the body of a push notification. Artifacts that do not fit are omitted. */
  readonly pushBytes: number;
  /** Maximum duration of one push notification request. */
  readonly pushTimeout: number;
  /** Number of consecutive failed attempts after which the notifications for a push target are dropped. */
  readonly pushTries: number;
  /** Delay after the first failed attempt of a push notification. It doubles with each further failure. */
  readonly pushBackoff: number;
  /** Maximum delay between two attempts of a push notification. */
  readonly pushLongestBackoff: number;
  /** Interval at which a process looks for push notifications whose signal was lost. */
  readonly pushSweep: number;
}

export const defaultSettings: Settings = {
  bodyLimit: 4 * MiB,
  fileLimit: 20 * MiB,
  uploadLimit: 64 * MiB,
  fileCount: 20,
  messageLimit: 1 * MiB,
  fieldCount: 100,
  requestTimeout: 300_000,
  runTimeout: 3_600_000,
  maxSteps: 50,
  toolTimeout: 120_000,
  factoryTimeout: 10_000,
  remoteTimeout: 30_000,
  remoteSilence: 60_000,
  maxOutputBytes: 16 * MiB,
  maxLogBytes: 256 * MiB,
  modelTries: 4,
  toolResultLimit: 200_000,
  listingBytes: 16 * MiB,
  heartbeat: 15_000,
  callerStreams: 5_000,
  credentialCheck: 5_000,
  socketAuthentication: 10_000,
  socketIdle: 300_000,
  socketBuffer: 256 * KiB,
  ringBytes: 256 * KiB,
  ringTotalBytes: 128 * MiB,
  flushInterval: 5,
  flushBytes: 256 * KiB,
  flushShare: 64 * KiB,
  pendingBytes: 64 * KiB,
  pendingTotalBytes: 32 * MiB,
  followPoll: 2_000,
  sweep: 1_000,
  lease: 6_000,
  leaseRenewal: 2_000,
  stalledTakeovers: 3,
  backgroundSlots: 64,
  queueLimit: 10_000,
  sessionQueueLimit: 100,
  idempotencyWindow: 86_400_000,
  maxLiveRuns: 10_000,
  grace: 30_000,
  outageLimit: 60_000,
  deleteWait: 10_000,
  compactionInterval: 2_000,
  compactedRowBytes: 256 * KiB,
  answerSweep: 5_000,
  scheduleSweep: 5_000,
  scheduleLateness: 10_000,
  scheduleCatchUp: 100,
  scheduleFires: 1_000,
  scheduleOpen: 1_000,
  scheduleRecords: 1_000,
  pushTargets: 10,
  pushesAtOnce: 64,
  pushBytes: 1 * MiB,
  pushTimeout: 10_000,
  pushTries: 10,
  pushBackoff: 1_000,
  pushLongestBackoff: 600_000,
  pushSweep: 5_000,
};
