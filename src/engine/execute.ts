/** Executes one root run from its claim to its one terminal event. */
import type { Component } from "../define/platform.ts";
import type { Message, PlacedMessage } from "../model/message.ts";
import type { Principal } from "../model/principal.ts";
import { anonymous } from "../model/principal.ts";
import type { RunInput, RunOptions, RunOutput } from "../model/record.ts";
import type { ClaimedRun } from "../store/seam.ts";
import type { LiveRuns } from "./live-runs.ts";
import { agentLoop } from "./loops/agent.ts";
import { completedFields, failureOf } from "./loops/completed.ts";
import { teamLoop } from "./loops/team.ts";
import type { EngineParts } from "./parts.ts";
import { RootRun } from "./root-run.ts";
import { Scope } from "./run-scope.ts";
import { RunFailure, RunStopped, type StopReason } from "./scope.ts";
import { SessionState } from "./session-state.ts";

/** What a start stores of its caller beside the options. */
export interface StoredOptions extends RunOptions {
  readonly caller?: Principal;
}

/** How an execution left the run. */
export interface Execution {
  /** Whether another run of the session waits, and its turn may have come. */
  readonly sessionWaits: boolean;
}

/** Executes the run; resolves when it is over, or not this process's any more. Never rejects. */
export async function execute(parts: EngineParts, live: LiveRuns, claimed: ClaimedRun): Promise<Execution> {
  const component = parts.registry.find(claimed.kind, claimed.componentId);
  const { root, scope } = await open(parts, claimed, component);
  live.add(claimed.key, root);
  const timer = startTimeout(parts, root, component);
  try {
    if (claimed.cancelRequested) root.stop({ kind: "cancelled" });
    root.check();
    if (!component)
      throw new RunFailure(
        "component_missing",
        `This platform does not host the ${claimed.kind} "${claimed.componentId}" any more.`,
      );
    const loop = component.kind === "team" ? teamLoop : agentLoop;
    const output = await untilStopped(loop(scope), root.signal);
    return await complete(root, scope, output);
  } catch (error) {
    return await fail(root, scope, error);
  } finally {
    timer?.();
    live.remove(claimed.key);
  }
}

async function open(
  parts: EngineParts,
  claimed: ClaimedRun,
  component: Component | undefined,
): Promise<{ root: RootRun; scope: Scope }> {
  const { key, runId, attempt, nextIndex } = claimed;
  const writer = parts.journal.open({ key, attempt, nextIndex, firstKept: 0 });
  const { caller, ...options } = JSON.parse(claimed.options) as StoredOptions;
  const state = new SessionState(claimed.sessionState);
  Object.assign(state.value, options.sessionState);
  const session = { key: claimed.sessionKey, seq: claimed.sessionSeq, id: claimed.sessionId, state };
  const root = new RootRun(parts, runId, writer, session, { principal: caller ?? anonymous, userId: claimed.userId });
  const scope = new Scope(root, {
    key,
    runId,
    parentRunId: undefined,
    component: component ?? missing(claimed),
    input: JSON.parse(claimed.input) as RunInput,
    options,
    messages: attempt > 1 ? await storedMessages(parts, key) : [],
  });
  return { root, scope };
}

async function storedMessages(parts: EngineParts, key: number): Promise<readonly PlacedMessage[]> {
  const rows = await parts.store.messages([key]);
  return rows.map(({ id, position, createdAt, body }) => ({
    id,
    position,
    createdAt,
    message: JSON.parse(body) as Message,
  }));
}

/** Stands for a component that is not hosted any more, so that its run can be ended properly. */
function missing({ kind, componentId }: ClaimedRun): Component {
  return { kind, id: componentId, name: componentId } as Component;
}

function startTimeout(parts: EngineParts, root: RootRun, component: Component | undefined): () => void {
  const milliseconds = component?.timeout ?? parts.settings.runTimeout;
  return parts.runtime.clock.after(milliseconds, () => root.stop({ kind: "timeout", milliseconds }));
}

/** What the loop comes to, or the reason to stop as soon as there is one: definitions' functions need not listen to the signal. */
function untilStopped<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

async function complete(root: RootRun, scope: Scope, output: RunOutput): Promise<Execution> {
  root.check();
  const { clock } = scope.runtime;
  const event = scope.event("RunCompleted", completedFields(output));
  const outcome = await root.end({ to: "COMPLETED", event, output: JSON.stringify(output), at: clock.now() });
  if (outcome.kind === "committed") return { sessionWaits: outcome.waiting };
  if (outcome.kind === "failed")
    return await fail(
      root,
      scope,
      new RunFailure("storage_error", "The run's answer could not be stored.", outcome.error),
    );
  if (outcome.kind === "state" && outcome.cancelRequested) return await cancelled(root, scope);
  return { sessionWaits: false };
}

async function fail(root: RootRun, scope: Scope, error: unknown): Promise<Execution> {
  const reason = stopReason(root, error);
  if (reason?.kind === "lost") return { sessionWaits: false };
  if (reason?.kind === "cancelled") return await cancelled(root, scope);
  const { clock, randomness, log } = scope.runtime;
  const failure = failureOf(reason ? timedOut(reason.milliseconds) : error, randomness.uuid());
  log.warn({ error, runId: root.runId, errorId: failure.id }, `The run failed: ${failure.message}`);
  const event = scope.event("RunError", {
    content: failure.message,
    error_type: failure.type,
    error_id: failure.id,
  });
  const output: RunOutput = { ...soFar(scope), content: failure.message, contentType: "str", error: failure };
  const outcome = await root.end({ to: "ERROR", event, output: JSON.stringify(output), at: clock.now() });
  if (outcome.kind === "state" && outcome.cancelRequested) return await cancelled(root, scope);
  return { sessionWaits: outcome.kind === "committed" && outcome.waiting };
}

async function cancelled(root: RootRun, scope: Scope): Promise<Execution> {
  const reason = `Run ${root.runId} was cancelled`;
  const content = scope.text === "" ? undefined : scope.text;
  const event = scope.event("RunCancelled", { content, reason });
  const output: RunOutput = { ...soFar(scope), content: content ?? reason, contentType: "str" };
  const at = scope.runtime.clock.now();
  const outcome = await root.end({ to: "CANCELLED", event, output: JSON.stringify(output), at });
  return { sessionWaits: outcome.kind === "committed" && outcome.waiting };
}

/** What the run has come to, when its loop has begun and its state can be told. */
function soFar(scope: Scope): Partial<RunOutput> {
  try {
    return scope.soFar?.() ?? {};
  } catch (error) {
    scope.runtime.log.warn({ error, runKey: scope.runKey }, "What the run came to so far could not be told.");
    return {};
  }
}

function stopReason(root: RootRun, error: unknown): StopReason | undefined {
  if (root.signal.reason instanceof RunStopped) return root.signal.reason.reason;
  return error instanceof RunStopped ? error.reason : undefined;
}

function timedOut(milliseconds: number): RunFailure {
  return new RunFailure("run_timeout", `The run took longer than ${milliseconds / 1000} s and was stopped.`);
}
