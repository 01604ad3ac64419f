/** The engine: starts, stops and deletes runs, and registers this process among the replicas. */

import { isFactory } from "../define/factory.ts";
import type { Entry, Hosted } from "../define/platform.ts";
import { isRemote, type Remote } from "../define/remote.ts";
import { defaultRetryAfter, TroupeError } from "../errors.ts";
import { mayClaimUser, type Principal } from "../model/principal.ts";
import { kindTitles, type RunStatus } from "../model/run/run.ts";
import type { SteeringMessage } from "../model/run/steering.ts";
import { contextOf } from "../model/trace/propagation.ts";
import type { SteeringOutcome } from "../store/contract/steering.ts";
import type { ClaimedRun, LocatedRun, Refusal, RunCreation, RunRef, RunRow } from "../store/contract/store.ts";
import type { AcceptedRun, BuildRequest, Continuation, ContinueRequest, Engine, StartRequest } from "./contract.ts";
import { redactRequest } from "./hooks/redact-request.ts";
import { checkDailyLimits } from "./limits/admission.ts";
import { refuseMisfit } from "./loops/workflow/input.ts";
import { type ListedTools, listTools } from "./mcp/listed-tools.ts";
import type { EngineParts } from "./parts.ts";
import { continuePaused } from "./pause/continuation.ts";
import { checkResolution } from "./pause/entered-values.ts";
import { Admission } from "./process/admission.ts";
import { Cancels } from "./process/cancels.ts";
import { Dispatcher } from "./process/dispatch.ts";
import { type LiveRun, LiveRuns } from "./process/live-runs.ts";
import { Overdue } from "./process/overdue.ts";
import { QueueBound } from "./process/queue-bound.ts";
import { sendsTokens } from "./remote/bearers.ts";
import { closeConnection } from "./remote/placeholder.ts";
import type { AnsweredRun } from "./run/answered-runs.ts";
import { forkSession, type SessionOfComponent } from "./run/copy-session.ts";
import { buildContextOf, type CreationContext, creationOf, userOf } from "./run/creation.ts";
import { deleteEnded } from "./run/deletion.ts";
import { execute } from "./run/execute.ts";
import { releasedOnRejection, reserveKey } from "./run/idempotency.ts";
import { successorOf } from "./run/successor.ts";
import type { SelectedVersion } from "./versions/live-versions.ts";

/** Milliseconds that a shutdown waits for emitted events to become durable. */
const flushWait = 5_000;

export class RunEngine implements Engine {
  readonly #parts: EngineParts;
  readonly #live = new LiveRuns();
  readonly #admission: Admission;
  readonly #dispatcher: Dispatcher;
  readonly #queueBound: QueueBound;
  readonly #cancels: Cancels;
  readonly #overdue: Overdue;

  constructor(parts: EngineParts) {
    this.#parts = parts;
    this.#admission = new Admission(parts, this.#live);
    this.#queueBound = new QueueBound(parts);
    this.#dispatcher = new Dispatcher(parts, this.#live, (run) => this.#execute(run));
    parts.lease.onLapse(() => this.#stopLostRuns());
    parts.store.onLostCommits?.(() => this.#live.stopAll({ kind: "lost" }));
    this.#cancels = new Cancels(parts, this.#live, (run) => this.#execute(run));
    this.#overdue = new Overdue(parts, () => this.#dispatcher.poll());
  }

  get acceptance(): Engine["acceptance"] {
    return this.#admission.acceptance;
  }

  /** Registers this process; it can accept runs afterwards. */
  async open(): Promise<void> {
    await this.#parts.lease.start();
  }

  /** Starts to execute waiting runs. */
  begin(): void {
    this.#dispatcher.start();
    this.#cancels.start();
    this.#overdue.start();
    void this.#logUnhostedRuns();
  }

  start(caller: Principal, request: StartRequest): Promise<AcceptedRun> {
    const { message, media = [], execution } = request;
    const size = media.reduce((sum, { data = "" }) => sum + data.length, message.length);
    const user = userOf(caller, request);
    return this.#admission.admit({ user, size, isQueued: execution === "dispatch" }, (isWithdrawn) =>
      this.#start(caller, request, isWithdrawn),
    );
  }

  async #start(caller: Principal, request: StartRequest, isWithdrawn: () => boolean): Promise<AcceptedRun> {
    const { kind, componentId, idempotency } = request;
    const { registry, store, runtime } = this.#parts;
    const entry = registry.find(kind, componentId);
    if (!entry && !request.version) throw new TroupeError("notFound", `${kindTitles[kind]} not found`);
    const isKeyed = idempotency !== undefined && request.runId === undefined;
    const reservation = isKeyed
      ? await reserveKey(this.#parts, caller, idempotency, runtime.randomness.uuid())
      : undefined;
    const runId = request.runId ?? reservation?.runId;
    const earlier = runId && (await store.locateRun(caller, runId));
    if (earlier) return { ...earlier, isRepeated: true };
    if (request.onlyIfRepeated) throw new TroupeError("notFound", "No run was started with this Idempotency-Key");
    const record = () => this.#record(caller, request, entry, { runId, reservation, isWithdrawn });
    return await releasedOnRejection(this.#parts, { reservation, isStart: true }, () => {
      if (request.execution === "now") return record();
      return this.#queueBound.admit(userOf(caller, request), record);
    });
  }

  async #record(
    caller: Principal,
    given: StartRequest,
    entry: Entry | undefined,
    identity: Omit<CreationContext, "successor">,
  ): Promise<AcceptedRun> {
    const { kind, componentId } = given;
    const { components, store } = this.#parts;
    const found = components.find(kind, componentId, buildContextOf(caller, given), given.version);
    const component = found instanceof Promise ? await found : found;
    const request = redactRequest(component, given);
    const remote = entry && isRemote(entry) ? entry : undefined;
    if (remote) refuseRemotely(remote, request);
    if (component.kind === "workflow") await refuseMisfit(component, request.message);
    const limited = checkDailyLimits(this.#parts, caller, request, component);
    if (limited) await limited;
    const userId = userOf(caller, request);
    const successor = request.from && (await successorOf(this.#parts, caller, request.from, userId));
    const recorded = remote ? { ...request, conversation: undefined } : request;
    const creation = creationOf(this.#parts, caller, recorded, component, { ...identity, successor });
    const opened = remote && (await this.#openRemote(remote, creation, request));
    const outcome = await this.#parts.journal.create(creation);
    if (outcome.kind !== "created") closeConnection(opened);
    if (outcome.kind !== "created" && successor?.copied !== undefined) await store.deleteSession(successor.copied);
    if (outcome.kind === "failed") {
      if (this.#admission.isClosed)
        throw new TroupeError("unavailable", "The server is shutting down.", { retryAfter: defaultRetryAfter });
      throw new TroupeError("internal", "The run could not be recorded.", { cause: outcome.error });
    }
    if (outcome.kind === "refused") throw refusalOf(outcome.reason, creation);
    if (outcome.kind === "exists") {
      // Two requests for the same start arrived at the same time, and the other request was recorded first. A caller that cannot see that run gets a conflict error.
      const existing = await store.locateRun(caller, creation.runId);
      if (existing) return { ...existing, isRepeated: true };
      throw new TroupeError("conflict", "There was a run of that id, and there is none for this caller.");
    }
    const { key, status, sessionKey, sessionSeq, sessionState } = outcome;
    this.#parts.runtime.measurements.runStarted(creation);
    components.bearers.keep(key, request.bearer);
    // The run was recorded after its caller received an error. A start with an id chosen in advance may be repeated and then gets this run.
    const mustCancel = identity.isWithdrawn() && identity.runId === undefined;
    if (status === "RUNNING") {
      const fresh = { attempt: 1, nextIndex: 0, cancelRequested: mustCancel, stalledTakeovers: 0, steered: 0 };
      const run = { ...creation, ...fresh, key, sessionKey, sessionSeq, sessionState };
      // A stream shows the end itself, and a run with copied messages has more than this process knows.
      if (request.options.stream !== true && !creation.messages) this.#parts.answered.expect(run);
      void this.#execute(run, opened ?? component);
    } else {
      if (mustCancel) await this.#cancels.cancel(key);
      this.#parts.signals.publish({ topic: "work" });
    }
    return { key, runId: creation.runId, sessionId: creation.sessionId, status, isRepeated: false };
  }

  /**
   * Called before the run is recorded, so that the other server's refusal rejects the start. Repeated calls contain the same run id, so the other server starts one run.
   */
  async #openRemote(entry: Remote, creation: RunCreation, request: StartRequest): Promise<Hosted | undefined> {
    const { message, media, options, bearer } = request;
    const { sessionId, userId, runId: key } = creation;
    const { tracing, components } = this.#parts;
    // The span of the run begins with its first event.
    const trace = tracing?.propagates ? contextOf({ runId: key, ...request.trace }, 0, tracing.isSampled) : undefined;
    return await components.open(entry, { message, media, options, sessionId, userId, key }, { bearer, trace });
  }

  listTools(caller: Principal, component: Hosted): Promise<ListedTools> {
    return listTools(this.#parts, caller, component);
  }

  async describeRemote(remote: Remote, bearer: string | undefined): Promise<Readonly<Record<string, unknown>>> {
    return await this.#parts.components.describe(remote, bearer);
  }

  async componentOf(run: RunRow): Promise<Hosted | undefined> {
    return await this.#parts.components.ofStored(run);
  }

  async componentAt(
    { kind, componentId }: Pick<BuildRequest, "kind" | "componentId">,
    version: SelectedVersion,
  ): Promise<Hosted> {
    return await this.#parts.components.at(kind, componentId, version);
  }

  async checkFactory(caller: Principal, request: BuildRequest): Promise<void> {
    await this.#parts.components.find(request.kind, request.componentId, buildContextOf(caller, request));
  }

  continueRun(caller: Principal, run: LocatedRun, request: ContinueRequest): Promise<Continuation> {
    return this.#admission.admit({ user: run.userId, size: 0 }, async () => {
      const { registry, components } = this.#parts;
      const isOwn = mayClaimUser(caller) || caller.userId === run.userId;
      // A token acts for its bearer only: if its bearer continued the run of another user, that user would see the bearer's data on other servers.
      if (!isOwn && request.bearer !== undefined) refuseForeign(registry.find(run.kind, run.componentId));
      const continuation = await continuePaused(this.#parts, caller, run, request);
      if (continuation.isRepeated) return continuation;
      components.bearers.keep(run.key, isOwn ? request.bearer : undefined);
      await this.#claimContinued(run.key);
      return continuation;
    });
  }

  checkResolution(...[caller, approval, resolution]: Parameters<Engine["checkResolution"]>): Promise<void> {
    return checkResolution(this.#parts, caller, approval, resolution);
  }

  /** Claims a run whose pause is answered. If its turn has not come, any free process claims it later. */
  async #claimContinued(key: number): Promise<void> {
    const { store, signals, processId } = this.#parts;
    const [claimed] = await store.claim({ owner: processId, slots: 1, key, orphans: false });
    if (claimed) void this.#execute(claimed);
    else signals.publish({ topic: "work" });
  }

  forkSession(source: SessionOfComponent): Promise<string | undefined> {
    return this.#admission.admit({ user: null, size: 0 }, () => forkSession(this.#parts, source));
  }

  takeAnswered({ key }: RunRef, status: RunStatus): AnsweredRun | undefined {
    return this.#parts.answered.take(key, status);
  }

  async steer({ key }: Pick<RunRef, "key">, message: SteeringMessage): Promise<SteeringOutcome> {
    const { store, signals, runtime } = this.#parts;
    const outcome = await store.steer(key, message, runtime.clock.now());
    if (outcome.kind === "accepted" && !this.#live.notify(key)) signals.publish({ topic: "steer", key });
    return outcome;
  }

  cancel({ key }: Pick<RunRef, "key">): Promise<void> {
    return this.#cancels.cancel(key);
  }

  async deleteRun({ key, runId }: RunRef): Promise<void> {
    const { store } = this.#parts;
    const deletion = { title: `Run ${runId}`, keys: async () => [key], remove: () => store.deleteRun(key) };
    await deleteEnded(this.#parts, deletion, (each) => this.#cancels.cancel(each));
  }

  async deleteSession(sessionKey: number): Promise<void> {
    const { store, signals } = this.#parts;
    const publishDeleted = (gone: readonly number[]): void => {
      for (const key of gone) signals.publish({ topic: "deleted", key });
    };
    const keys = () => store.sessionRunKeys(sessionKey, true);
    const deletion = { title: "The session", keys, remove: () => store.deleteSession(sessionKey, publishDeleted) };
    await deleteEnded(this.#parts, deletion, (each) => this.#cancels.cancel(each));
  }

  /**
   * Ends this process's work: rejects starts, waits `timeout` milliseconds for its runs, then hands over the runs that still execute. Another
   * process takes them over immediately, or this one after a restart.
   * All emitted events are durable when it resolves. Events that an unreachable database did not store were shown to no client.
   */
  async drain(timeout: number): Promise<void> {
    this.#admission.close();
    this.#cancels.stop();
    await this.#overdue.stop();
    const { runtime, journal } = this.#parts;
    const idle = Promise.all([this.#dispatcher.close(), this.#admission.idle()]).then(() => this.#live.empty());
    await this.#within(timeout, idle);
    const left = this.#live.list;
    if (left.length > 0) {
      runtime.log.info(
        { runs: left.length },
        "The shutdown timeout has passed; unfinished runs are handed over to other processes.",
      );
      this.#live.stopAll({ kind: "lost" });
    }
    await this.#within(
      flushWait,
      this.#live
        .empty()
        .then(() => journal.idle())
        .then(() => this.#handOver(left)),
    );
    this.#cancels.close();
    await this.#parts.lease.close();
  }

  rejectWaitingStarts(): void {
    this.#admission.rejectWaiting();
  }

  async #within(milliseconds: number, work: Promise<unknown>): Promise<void> {
    const over = new AbortController();
    await Promise.race([work, this.#parts.runtime.clock.sleep(milliseconds, over.signal)]);
    over.abort();
  }

  /** @param started the component that was built or opened when the run started */
  async #execute(run: ClaimedRun, started?: Hosted): Promise<void> {
    if (this.#live.has(run)) return;
    const { measurements } = this.#parts.runtime;
    measurements.runOpened(run);
    const { sessionWaits, answerBy, status } = await execute(this.#parts, this.#live, run, started);
    measurements.runClosed(run, status);
    this.#parts.answered.over(run.key);
    if (answerBy !== undefined) this.#overdue.expect(answerBy);
    if (sessionWaits) void this.#dispatcher.claimNext(run.sessionKey);
  }

  async #handOver(runs: readonly LiveRun[]): Promise<void> {
    const { store, signals, runtime } = this.#parts;
    const released = await Promise.allSettled(runs.map(({ key, attempt }) => store.release(key, attempt)));
    const failed = released.filter(({ status }) => status === "rejected").length;
    if (failed > 0) {
      runtime.log.warn(
        { runs: failed },
        "Runs could not be handed over; they are taken over when this process's lease expires.",
      );
    }
    if (runs.length > 0) signals.publish({ topic: "work" });
  }

  /** After the lease has expired: stops runs that another process has taken over, before they start a tool. The fence rejects their writes anyway. */
  async #stopLostRuns(): Promise<void> {
    for (const { key, attempt } of this.#live.list) {
      const head = await this.#parts.store.head(key);
      if (head?.attempt === attempt) continue;
      this.#live.stopAttempt(key, attempt);
      this.#parts.journal.forget(key, attempt);
    }
  }

  /** Logs runs that no process hosts. */
  async #logUnhostedRuns(): Promise<void> {
    const { store, registry, runtime } = this.#parts;
    try {
      const unhostedRuns = await store.unhostedRuns(registry.claimable);
      if (unhostedRuns.length === 0) return;
      runtime.log.warn(
        { unhostedRuns },
        "There are unfinished runs of components that this platform does not host. They wait for a process that does; cancel them if there will be none.",
      );
    } catch (error) {
      runtime.log.warn({ error }, "Runs of components that no process hosts could not be read.");
    }
  }
}

/** @throws TroupeError `forbidden` for a component that sends its callers' tokens to other servers */
function refuseForeign(entry: Entry | undefined): void {
  if (!entry || isFactory(entry) || !sendsTokens(entry)) return;
  const text = "The run sends the token of its user to other servers: only its user can continue it.";
  throw new TroupeError("forbidden", text);
}

function refusalOf(reason: Refusal, { maxWaiting }: RunCreation): TroupeError {
  if (reason === "full") {
    const message = `${maxWaiting} runs of this session wait already: more can be started when some of them have begun.`;
    return new TroupeError("tooManyRequests", message, { retryAfter: defaultRetryAfter });
  }
  if (reason === "withdrawn") return new TroupeError("unavailable", "The database did not answer in time.");
  if (reason === "deleted")
    return new TroupeError("conflict", "The session or the run was deleted while it was being recorded");
  if (reason === "replaced") return new TroupeError("conflict", "run was regenerated by another caller, or deleted");
  const text =
    "Another request with this Idempotency-Key was rejected, or its run was deleted: send the request again.";
  return new TroupeError("conflict", text);
}

/** @throws TroupeError `badRequest` for options that remote components do not support */
function refuseRemotely({ kind }: Remote, { execution, from }: StartRequest): void {
  if (execution === "dispatch")
    throw new TroupeError("badRequest", `Background execution is not supported for remote ${kind}s`);
  if (from) throw new TroupeError("badRequest", `Continue is not supported for remote ${kind}s`);
}
