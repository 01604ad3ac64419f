/** Every limit and interval, with its default. `docs/settings.md` is held to this table by a test. */

const KiB = 1024;
const MiB = 1024 * KiB;

/** Limits and intervals. Sizes are bytes, times are milliseconds. */
export interface Settings {
  /** Largest request body without files. */
  readonly bodyLimit: number;
  /** Largest single uploaded file. */
  readonly fileLimit: number;
  /** All files of one request together, uploaded ones and those in its lists of media, each as its bytes. */
  readonly uploadLimit: number;
  /** Most files in one request. */
  readonly fileCount: number;
  /** Largest `message` form field, in bytes of UTF-8. */
  readonly messageLimit: number;
  /** Most form fields in one request. */
  readonly fieldCount: number;
  /** How long a request may take to arrive, its body included; its answer may take as long as a run does. */
  readonly requestTimeout: number;
  /** How long a run may take when its component does not say. */
  readonly runTimeout: number;
  /** Most model turns of one run when its component does not say. */
  readonly maxSteps: number;
  /** How long a tool may take when it does not say. */
  readonly toolTimeout: number;
  /** How long the server of a remote component may take to answer. */
  readonly remoteTimeout: number;
  /** How long the server of a remote component may be silent on a stream before it is asked anew. */
  readonly remoteSilence: number;
  /** How long a factory may take to build a component. */
  readonly factoryTimeout: number;
  /** Largest output of one run, about: what its models answer, results of its tools and steps, files and state, those of runs under it included. */
  readonly maxOutputBytes: number;
  /** Largest log of one run, about. */
  readonly maxLogBytes: number;
  /** Tries of one model call on 429, 5xx and overload, the first one included. */
  readonly modelTries: number;
  /** Largest answer of one tool, in characters; what is over is cut and says so. */
  readonly toolResultLimit: number;
  /** Maximum size of a page of a listing. A page of runs ends early and names the next page; other pages leave large members out. */
  readonly listingBytes: number;
  /** Comment heartbeat on every stream. */
  readonly heartbeat: number;
  /** Streams, requests that wait for a run, and runs followed on web sockets, that one caller may have open at one process; beyond it 429. */
  readonly callerStreams: number;
  /** How often open streams are looked at whether their caller's credential is good still; one that is not ends its streams. */
  readonly credentialCheck: number;
  /** How long a web socket may stay without having said who is calling, where that is to be said. */
  readonly socketAuthentication: number;
  /** How long a web socket may stay that follows no run and asks for nothing. */
  readonly socketIdle: number;
  /** Bytes that one web socket has not taken yet at which its runs' events wait. */
  readonly socketBuffer: number;
  /** Bytes of one live run's events that stay in memory for its followers. */
  readonly ringBytes: number;
  /** Bytes of all runs' events that stay in memory, live and recently finished. */
  readonly ringTotalBytes: number;
  /** Least time between the beginnings of two flushes, while nobody waits for a commit and the next one is not full. */
  readonly flushInterval: number;
  /** Largest flush of the group commit. */
  readonly flushBytes: number;
  /** A run's share of one flush. */
  readonly flushShare: number;
  /** Undurable bytes of one run at which its model waits. */
  readonly pendingBytes: number;
  /** Undurable bytes of all runs at which every model waits. */
  readonly pendingTotalBytes: number;
  /** How often a follower of a run that another process writes looks at the table when no signal comes. */
  readonly followPoll: number;
  /** How often a process looks for work whose signal was lost. */
  readonly sweep: number;
  /** How long the lease of a process lasts. */
  readonly lease: number;
  /** How often a process renews its lease. */
  readonly leaseRenewal: number;
  /** Takeovers in a row without a durable step in between after which a run is given up. */
  readonly stalledTakeovers: number;
  /** Background runs that one process executes at a time. */
  readonly backgroundSlots: number;
  /** Background runs that may wait for a slot, all processes together; beyond it starts of more are refused with 429. */
  readonly queueLimit: number;
  /** Runs of one session that may wait for their turn; beyond it starts of more are refused with 429. */
  readonly sessionQueueLimit: number;
  /** How long a start with an `Idempotency-Key` is the same start when it comes again. */
  readonly idempotencyWindow: number;
  /** Live runs that one process takes at most; beyond it starts are refused with 503. */
  readonly maxLiveRuns: number;
  /** How long a SIGTERM waits for live runs before it hands them over. */
  readonly grace: number;
  /** How long the database may be away before streams are closed without a terminal event. */
  readonly outageLimit: number;
  /** How long deleting a run in progress waits for its end. */
  readonly deleteWait: number;
  /** How often logs of runs that ended here are rewritten in few rows; those that others have left, thirty times more seldom. */
  readonly compactionInterval: number;
  /** Rows of a compacted log hold at most this many bytes of frames. */
  readonly compactedRowBytes: number;
  /** How often a process looks for fires of schedules that others left, or that were made by another process. */
  readonly scheduleSweep: number;
  /** A tick of a schedule that is noticed so much later was missed: it fires if it is made up for. */
  readonly scheduleLateness: number;
  /** Ticks of a schedule that are made up for at most, where all of them are. */
  readonly scheduleCatchUp: number;
  /** How often a process looks for questions of paused runs that are not answered in time, and that another process asked. */
  readonly answerSweep: number;
  /** Fires of schedules that one process has in hand at most; others wait. */
  readonly scheduleFires: number;
  /** Fires of one schedule that are not over, at which a tick is skipped whatever its overlap says. */
  readonly scheduleOpen: number;
  /** Records of a schedule that are kept; the oldest go with each new one. */
  readonly scheduleRecords: number;
  /** Push targets that one task may have. */
  readonly pushTargets: number;
  /** Push notifications that one process sends at the same time; others wait. */
  readonly pushesAtOnce: number;
  /** Largest body of a push notification; what a task has made and does not fit is left out of it. */
  readonly pushBytes: number;
  /** How long one push notification may take. */
  readonly pushTimeout: number;
  /** Tries in a row that fail after which what a push target has to be told is given up. */
  readonly pushTries: number;
  /** Pause after the first failed try of a push notification; it doubles with each further one. */
  readonly pushBackoff: number;
  /** Longest pause between two tries of a push notification. */
  readonly pushLongestBackoff: number;
  /** How often a process looks for push notifications whose signal was lost. */
  readonly pushSweep: number;
}

/** Defaults of every setting. */
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
