/** All limits and intervals, with their defaults. A test compares `docs/settings.md` with this table. */

const KiB = 1024;
const MiB = 1024 * KiB;

/** Limits and intervals. Sizes are in bytes, times in milliseconds. */
export interface Settings {
  /** Maximum size of a request body without files. */
  readonly maxBodyBytes: number;
  /** Maximum size of one uploaded file. */
  readonly maxFileBytes: number;
  /** Maximum total size of the files of one request: uploads and decoded media items. */
  readonly maxUploadBytes: number;
  /** Maximum number of files in one request. */
  readonly maxFiles: number;
  /** Maximum size of the form field `message`, in UTF-8 bytes. */
  readonly maxMessageBytes: number;
  /** Maximum number of form fields in one request. */
  readonly maxFields: number;
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
  readonly remoteIdleTimeout: number;
  /** Maximum time for a factory to build a component. */
  readonly factoryTimeout: number;
  /** Approximate maximum output of one run, including the runs below it: model answers, results of tools and steps, files and state. */
  readonly maxOutputBytes: number;
  /** Approximate maximum size of one run's log. */
  readonly maxLogBytes: number;
  /** Maximum attempts of one model call on 429, 5xx and overload, including the first. */
  readonly maxModelAttempts: number;
  /** Maximum length of a tool result, in characters. A longer result is truncated, with a note. */
  readonly maxToolResultCharacters: number;
  /** Maximum size of a page of a listing. A page of runs ends early and links to the next page; other pages omit large members. */
  readonly maxListingBytes: number;
  /** Interval of heartbeat comments on every stream. */
  readonly heartbeatInterval: number;
  /**
   * Maximum number of open streams of one caller at one process; includes requests that wait for a run and runs
   * followed on web sockets. Beyond it: 429.
   */
  readonly maxStreamsPerCaller: number;
  /** Maximum number of requests of one caller per second, over all processes. Default: no limit. Beyond it: 429. */
  readonly maxRequestsPerSecond: number;
  /** Maximum number of runs that one caller starts per minute, over all processes. Default: no limit. Beyond it: 429. */
  readonly maxRunsPerMinute: number;
  /** Interval of re-checks of the credentials of open streams. The server closes the streams of a credential that is no longer valid. */
  readonly credentialCheckInterval: number;
  /** Time in which a new web socket must authenticate, if authentication is required. */
  readonly socketAuthenticationTimeout: number;
  /** Time after which an idle web socket is closed: one that follows no run and sends no request. */
  readonly socketIdleTimeout: number;
  /** Number of unsent bytes on one web socket above which the server holds back the events of its runs. */
  readonly maxSocketBufferBytes: number;
  /** Bytes of one live run's events that are kept in memory for its followers. */
  readonly maxRingBytes: number;
  /** Bytes of events that are kept in memory for all live and recently finished runs. */
  readonly maxTotalRingBytes: number;
  /** Time for which the events of an ended run stay in memory. After it, its readers read the database. */
  readonly endedRingDuration: number;
  /** Minimum time between the starts of two flushes, while nothing waits for a commit and the next flush is not full. */
  readonly flushInterval: number;
  /** Maximum size of one flush of the group commit. */
  readonly maxFlushBytes: number;
  /** Maximum share of one run in a flush. */
  readonly maxFlushShareBytes: number;
  /** Number of uncommitted bytes of one run's events above which its model stream is held back. */
  readonly maxPendingBytes: number;
  /** Number of uncommitted bytes of all runs' events above which every model stream is held back. */
  readonly maxTotalPendingBytes: number;
  /** Poll interval for following a run that another process writes, when no notification arrives. */
  readonly followPollInterval: number;
  /** Interval at which a process looks for work whose notification was lost. */
  readonly sweepInterval: number;
  /** Duration of a process's lease. */
  readonly leaseDuration: number;
  /** Interval at which a process renews its lease. */
  readonly leaseRenewInterval: number;
  /** Number of consecutive takeovers without a durable step at which a run fails. */
  readonly maxStalledTakeovers: number;
  /** Maximum number of background runs that one process executes concurrently. */
  readonly maxBackgroundRuns: number;
  /** Maximum number of background runs that wait for a slot, over all processes. Beyond it further starts are rejected with 429. */
  readonly maxQueuedRuns: number;
  /** Maximum number of runs of one session that wait for their turn. Beyond it further starts are rejected with 429. */
  readonly maxQueuedRunsPerSession: number;
  /** Time in which starts with the same `Idempotency-Key` count as one start. */
  readonly idempotencyDuration: number;
  /** Maximum number of live runs in one process. Beyond it starts are rejected with 503. */
  readonly maxLiveRuns: number;
  /** Time to wait for live runs after SIGTERM, before they are handed over to other processes. */
  readonly shutdownTimeout: number;
  /**
   * Time for which a server that is shutting down still serves all requests while `/health/ready` returns 503. A server that received no readiness
   * check in the last minute skips it.
   */
  readonly drainDuration: number;
  /** Duration of a database outage after which streams are closed without a terminal event. */
  readonly outageTimeout: number;
  /** Time for which a request to delete an unfinished run waits for the run to end. */
  readonly deleteTimeout: number;
  /**
   * Interval at which a process compacts the logs of runs that ended in it. Logs that other processes left behind are compacted at 30 times
   * this interval.
   */
  readonly compactionInterval: number;
  /** Maximum bytes of frames in one row of a compacted log. */
  readonly maxCompactedRowBytes: number;
  /** Interval at which a process looks for schedule fires that other processes created or left behind. */
  readonly scheduleSweepInterval: number;
  /** Delay after which a tick counts as missed: it then fires only according to the schedule's `catchUp`. */
  readonly misfireTimeout: number;
  /** Maximum number of missed ticks that fire for a schedule with `catchUp: "all"`. */
  readonly maxCatchUpFires: number;
  /** Interval at which a process looks for requirements past their deadline that another process created. */
  readonly answerSweepInterval: number;
  /** Maximum number of schedule fires that one process executes concurrently; others wait. */
  readonly maxConcurrentFires: number;
  /** Number of unfinished fires of one schedule at which further ticks are skipped, whatever its `overlap`. */
  readonly maxOpenFires: number;
  /** Maximum number of records per schedule. The oldest are deleted when new ones are added. */
  readonly maxScheduleRecords: number;
  /** Maximum number of push targets for one task. */
  readonly maxPushTargets: number;
  /** Maximum number of push notifications that one process sends concurrently, and of webhook messages; others wait. */
  readonly maxConcurrentPushes: number;
  /** Maximum size of the body of a push notification, and of the event in a webhook message. Artifacts and events that do not fit are omitted. */
  readonly maxPushBytes: number;
  /** Maximum duration of one push notification request, and of one webhook request. */
  readonly pushTimeout: number;
  /** Number of consecutive failed attempts after which the notifications for a push target are dropped. */
  readonly maxPushAttempts: number;
  /** Delay after the first failed attempt of a push notification. It doubles with each further failure. */
  readonly pushRetryInterval: number;
  /** Maximum delay between two attempts of a push notification. */
  readonly maxPushRetryInterval: number;
  /** Interval at which a process looks for push notifications whose signal was lost, and for webhook messages of other processes. */
  readonly pushSweepInterval: number;
  /** Number of failed attempts after which a webhook message is given up. */
  readonly maxWebhookAttempts: number;
  /** Delay after the first failed attempt of a webhook message. It doubles with each further failure. */
  readonly webhookRetryInterval: number;
  /** Maximum delay between two attempts of a webhook message. */
  readonly maxWebhookRetryInterval: number;
}

export const defaultSettings: Settings = {
  maxBodyBytes: 4 * MiB,
  maxFileBytes: 20 * MiB,
  maxUploadBytes: 64 * MiB,
  maxFiles: 20,
  maxMessageBytes: 1 * MiB,
  maxFields: 100,
  requestTimeout: 300_000,
  runTimeout: 3_600_000,
  maxSteps: 50,
  toolTimeout: 120_000,
  factoryTimeout: 10_000,
  remoteTimeout: 30_000,
  remoteIdleTimeout: 60_000,
  maxOutputBytes: 16 * MiB,
  maxLogBytes: 256 * MiB,
  maxModelAttempts: 4,
  maxToolResultCharacters: 200_000,
  maxListingBytes: 16 * MiB,
  heartbeatInterval: 15_000,
  maxStreamsPerCaller: 5_000,
  maxRequestsPerSecond: Number.POSITIVE_INFINITY,
  maxRunsPerMinute: Number.POSITIVE_INFINITY,
  credentialCheckInterval: 5_000,
  socketAuthenticationTimeout: 10_000,
  socketIdleTimeout: 300_000,
  maxSocketBufferBytes: 256 * KiB,
  maxRingBytes: 256 * KiB,
  maxTotalRingBytes: 128 * MiB,
  endedRingDuration: 10_000,
  flushInterval: 5,
  maxFlushBytes: 512 * KiB,
  maxFlushShareBytes: 128 * KiB,
  maxPendingBytes: 64 * KiB,
  maxTotalPendingBytes: 32 * MiB,
  followPollInterval: 2_000,
  sweepInterval: 1_000,
  leaseDuration: 6_000,
  leaseRenewInterval: 2_000,
  maxStalledTakeovers: 3,
  maxBackgroundRuns: 64,
  maxQueuedRuns: 10_000,
  maxQueuedRunsPerSession: 100,
  idempotencyDuration: 86_400_000,
  maxLiveRuns: 10_000,
  shutdownTimeout: 30_000,
  drainDuration: 5_000,
  outageTimeout: 60_000,
  deleteTimeout: 10_000,
  compactionInterval: 2_000,
  maxCompactedRowBytes: 256 * KiB,
  answerSweepInterval: 5_000,
  scheduleSweepInterval: 5_000,
  misfireTimeout: 10_000,
  maxCatchUpFires: 100,
  maxConcurrentFires: 1_000,
  maxOpenFires: 1_000,
  maxScheduleRecords: 1_000,
  maxPushTargets: 10,
  maxConcurrentPushes: 64,
  maxPushBytes: 1 * MiB,
  pushTimeout: 10_000,
  maxPushAttempts: 10,
  pushRetryInterval: 1_000,
  maxPushRetryInterval: 600_000,
  pushSweepInterval: 5_000,
  maxWebhookAttempts: 40,
  webhookRetryInterval: 5_000,
  maxWebhookRetryInterval: 3_600_000,
};
