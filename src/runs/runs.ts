/**
 * The service layer: every rule about runs, once. It admits starts, bounds their size, attributes them to users, checks who owns what, and knows what
 * remote components cannot do. HTTP, A2A, the web socket, schedules and every other interface translate their protocol to these calls.
 */
import { countApprovals, deleteApproval, findApproval, listApprovals, resolveApproval } from "./approvals.ts";
import { cancelAndWait, cancelRun, deleteRun } from "./cancel.ts";
import { changesOf, detailsOf, filesOf, listChanged } from "./changes.ts";
import { checkVersion } from "./components/selection.ts";
import { type VersionCalls, versionCalls } from "./components/versions.ts";
import { type ConnectionCalls, connectionCalls } from "./connections.ts";
import { continueRun, startSuccessor } from "./continue.ts";
import { migrateDatabase } from "./databases.ts";
import { describeComponent, findKind, listComponents } from "./describe.ts";
import { type EvalCalls, evalCalls } from "./evals/calls.ts";
import {
  checkFactoryInput,
  describeRemote,
  findComponent,
  findPastComponent,
  findRun,
  listTools,
  loadRun,
  locateRun,
} from "./find.ts";
import { followRun, headOf, readFrames, waitForEnd } from "./follow.ts";
import { type KnowledgeCalls, knowledgeCalls } from "./knowledge/calls.ts";
import { type LearningCalls, learningCalls } from "./learnings.ts";
import { takeRequest } from "./limits/rates.ts";
import { readUsage } from "./limits/usage.ts";
import { latestRuns, listRuns } from "./list.ts";
import { type MemoryCalls, memoryCalls } from "./memories/calls.ts";
import { type MetricsCalls, metricsCalls } from "./metrics.ts";
import { listAllRuns, readOverview } from "./overview.ts";
import type { RunParts } from "./parts.ts";
import { authorize, authorizeRead } from "./permissions.ts";
import { type PushTargetCalls, pushTargetCalls } from "./push-targets.ts";
import { readFamily, readMessages, takeAnswered } from "./read.ts";
import { reading } from "./reading.ts";
import { listRegistry } from "./registry.ts";
import {
  changeSession,
  createSession,
  deleteSession,
  findSession,
  findSessionRun,
  forkSession,
  hasRuns,
  listSessionRuns,
  listSessions,
  sessionHistory,
} from "./sessions.ts";
import { checkAcceptance, startRun } from "./start.ts";
import { steerRun } from "./steer.ts";
import { readTraceStatistics } from "./traces/statistics.ts";
import { listTraceSessions, listTraces, readTraces, readTraceTexts, searchTraces } from "./traces/traces.ts";
import { type DatasetCalls, datasetCalls } from "./trials/datasets.ts";
import { type ExperimentCalls, experimentCalls } from "./trials/experiments.ts";
import { type FeedbackCalls, feedbackCalls } from "./trials/feedback.ts";
import { eraseUser } from "./user-data.ts";
import { type WebhookCalls, webhookCalls } from "./webhooks/calls.ts";

type Bound<Call> = Call extends (parts: never, ...rest: infer Rest) => infer Result ? (...rest: Rest) => Result : never;

/** The calls of the service layer. Each is documented where it is defined. */
export interface Runs {
  readonly authorize: Bound<typeof authorize>;
  readonly authorizeRead: Bound<typeof authorizeRead>;
  readonly takeRequest: Bound<typeof takeRequest>;
  readonly checkAcceptance: Bound<typeof checkAcceptance>;
  readonly start: Bound<typeof startRun>;
  readonly continue: Bound<typeof continueRun>;
  readonly startSuccessor: Bound<typeof startSuccessor>;
  readonly component: Bound<typeof findComponent>;
  readonly pastComponent: Bound<typeof findPastComponent>;
  readonly checkVersion: Bound<typeof checkVersion>;
  readonly describe: Bound<typeof describeComponent>;
  readonly components: Bound<typeof listComponents>;
  readonly kindOf: Bound<typeof findKind>;
  readonly registry: Bound<typeof listRegistry>;
  readonly migrate: Bound<typeof migrateDatabase>;
  readonly checkFactoryInput: Bound<typeof checkFactoryInput>;
  readonly listTools: Bound<typeof listTools>;
  readonly describeRemote: Bound<typeof describeRemote>;
  readonly find: Bound<typeof findRun>;
  readonly load: Bound<typeof loadRun>;
  readonly locate: Bound<typeof locateRun>;
  readonly read: Bound<typeof readFamily>;
  readonly takeAnswered: Bound<typeof takeAnswered>;
  readonly messages: Bound<typeof readMessages>;
  readonly list: Bound<typeof listRuns>;
  readonly latest: Bound<typeof latestRuns>;
  readonly listAll: Bound<typeof listAllRuns>;
  readonly overview: Bound<typeof readOverview>;
  readonly files: Bound<typeof filesOf>;
  readonly details: Bound<typeof detailsOf>;
  readonly changes: Bound<typeof changesOf>;
  readonly listChanged: Bound<typeof listChanged>;
  readonly head: Bound<typeof headOf>;
  readonly frames: Bound<typeof readFrames>;
  readonly follow: Bound<typeof followRun>;
  readonly waitForEnd: Bound<typeof waitForEnd>;
  readonly steer: Bound<typeof steerRun>;
  readonly cancel: Bound<typeof cancelRun>;
  readonly cancelAndWait: Bound<typeof cancelAndWait>;
  readonly delete: Bound<typeof deleteRun>;
  readonly usage: Bound<typeof readUsage>;
  readonly eraseUser: Bound<typeof eraseUser>;
  /** Undefined on a platform without connections. */
  readonly connections: ConnectionCalls | undefined;
  /** Memories about users. */
  readonly memories: MemoryCalls;
  readonly learnings: LearningCalls;
  /** Usage by day. */
  readonly metrics: MetricsCalls;
  /** Undefined on a platform without push notifications. */
  readonly pushTargets: PushTargetCalls | undefined;
  /** Deliveries of webhooks. */
  readonly webhooks: WebhookCalls;
  readonly evals: EvalCalls;
  /** Versions of components. */
  readonly versions: VersionCalls;
  /** Documents of knowledge bases. */
  readonly knowledge: KnowledgeCalls;
  readonly feedback: FeedbackCalls;
  readonly datasets: DatasetCalls;
  readonly experiments: ExperimentCalls;
  readonly sessions: {
    readonly list: Bound<typeof listSessions>;
    readonly create: Bound<typeof createSession>;
    readonly find: Bound<typeof findSession>;
    readonly change: Bound<typeof changeSession>;
    readonly delete: Bound<typeof deleteSession>;
    readonly hasRuns: Bound<typeof hasRuns>;
    readonly runs: Bound<typeof listSessionRuns>;
    readonly run: Bound<typeof findSessionRun>;
    readonly history: Bound<typeof sessionHistory>;
    readonly fork: Bound<typeof forkSession>;
  };
  readonly approvals: {
    readonly list: Bound<typeof listApprovals>;
    readonly count: Bound<typeof countApprovals>;
    readonly find: Bound<typeof findApproval>;
    readonly resolve: Bound<typeof resolveApproval>;
    readonly delete: Bound<typeof deleteApproval>;
  };
  readonly traces: {
    readonly list: Bound<typeof listTraces>;
    readonly search: Bound<typeof searchTraces>;
    readonly sessions: Bound<typeof listTraceSessions>;
    readonly statistics: Bound<typeof readTraceStatistics>;
    readonly read: Bound<typeof readTraces>;
    readonly texts: Bound<typeof readTraceTexts>;
  };
}

/** Binds the calls to their parts. `reading` marks the calls that a standby may serve: listings and traces, which change nothing. */
export function openRuns(parts: RunParts): Runs {
  return {
    authorize: (...call) => authorize(parts, ...call),
    authorizeRead: (...call) => authorizeRead(parts, ...call),
    takeRequest: (...call) => takeRequest(parts, ...call),
    checkAcceptance: () => checkAcceptance(parts),
    start: (...call) => startRun(parts, ...call),
    continue: (...call) => continueRun(parts, ...call),
    startSuccessor: (...call) => startSuccessor(parts, ...call),
    component: (...call) => findComponent(parts, ...call),
    pastComponent: (...call) => findPastComponent(parts, ...call),
    checkVersion: (...call) => checkVersion(parts, ...call),
    describe: (...call) => describeComponent(parts, ...call),
    components: (...call) => listComponents(parts, ...call),
    kindOf: (...call) => findKind(parts, ...call),
    registry: (...call) => listRegistry(parts, ...call),
    migrate: (...call) => migrateDatabase(parts, ...call),
    checkFactoryInput: (...call) => checkFactoryInput(parts, ...call),
    listTools: (...call) => listTools(parts, ...call),
    describeRemote: (...call) => describeRemote(parts, ...call),
    find: (...call) => findRun(parts, ...call),
    load: (...call) => loadRun(parts, ...call),
    locate: (...call) => locateRun(parts, ...call),
    read: (...call) => readFamily(parts, ...call),
    takeAnswered: (...call) => takeAnswered(parts, ...call),
    messages: (...call) => readMessages(parts, ...call),
    list: (...call) => reading(parts, (some) => listRuns(some, ...call)),
    latest: (...call) => reading(parts, (some) => latestRuns(some, ...call)),
    listAll: (...call) => listAllRuns(parts, ...call),
    overview: () => readOverview(parts),
    files: (...call) => filesOf(parts, ...call),
    details: (...call) => detailsOf(parts, ...call),
    changes: (...call) => changesOf(parts, ...call),
    listChanged: (...call) => listChanged(parts, ...call),
    head: (...call) => headOf(parts, ...call),
    frames: (...call) => readFrames(parts, ...call),
    follow: (...call) => followRun(parts, ...call),
    waitForEnd: (...call) => waitForEnd(parts, ...call),
    steer: (...call) => steerRun(parts, ...call),
    cancel: (...call) => cancelRun(parts, ...call),
    cancelAndWait: (...call) => cancelAndWait(parts, ...call),
    delete: (...call) => deleteRun(parts, ...call),
    usage: (...call) => readUsage(parts, ...call),
    eraseUser: (...call) => eraseUser(parts, ...call),
    connections: connectionCalls(parts),
    memories: memoryCalls(parts),
    learnings: learningCalls(parts),
    versions: versionCalls(parts),
    metrics: metricsCalls(parts),
    pushTargets: pushTargetCalls(parts),
    webhooks: webhookCalls(parts),
    evals: evalCalls(parts),
    knowledge: knowledgeCalls(parts),
    feedback: feedbackCalls(parts),
    datasets: datasetCalls(parts),
    experiments: experimentCalls(parts),
    sessions: {
      list: (...call) => reading(parts, (some) => listSessions(some, ...call)),
      create: (...call) => createSession(parts, ...call),
      find: (...call) => findSession(parts, ...call),
      change: (...call) => changeSession(parts, ...call),
      delete: (...call) => deleteSession(parts, ...call),
      hasRuns: (...call) => hasRuns(parts, ...call),
      runs: (...call) => reading(parts, (some) => listSessionRuns(some, ...call)),
      run: (...call) => reading(parts, (some) => findSessionRun(some, ...call)),
      history: (...call) => reading(parts, (some) => sessionHistory(some, ...call)),
      fork: (...call) => forkSession(parts, ...call),
    },
    approvals: {
      list: (...call) => listApprovals(parts, ...call),
      count: (...call) => countApprovals(parts, ...call),
      find: (...call) => findApproval(parts, ...call),
      resolve: (...call) => resolveApproval(parts, ...call),
      delete: (...call) => deleteApproval(parts, ...call),
    },
    traces: {
      list: (...call) => reading(parts, (some) => listTraces(some, ...call)),
      search: (...call) => reading(parts, (some) => searchTraces(some, ...call)),
      statistics: (...call) => reading(parts, (some) => readTraceStatistics(some, ...call)),
      sessions: (...call) => reading(parts, (some) => listTraceSessions(some, ...call)),
      read: (...call) => reading(parts, (some) => readTraces(some, ...call)),
      texts: (...call) => reading(parts, (some) => readTraceTexts(some, ...call)),
    },
  };
}
