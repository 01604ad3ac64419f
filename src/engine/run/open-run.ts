/** Opens a root run for execution: new, or in the state that an earlier attempt left. */
import { definitionHash } from "../../define/hash.ts";
import { hasSearchTool, searchTool } from "../../define/knowledge-use.ts";
import { isLearningTool } from "../../define/learning.ts";
import { mcpServersOf, ownTools } from "../../define/mcp-server.ts";
import { isMemoryTool } from "../../define/memory.ts";
import type { Hosted } from "../../define/platform.ts";
import { componentsWithin } from "../../define/within.ts";
import type { PlacedMessage, ToolCall } from "../../model/run/message.ts";
import { copiedMessagesOf, type RunInput, type RunOptions } from "../../model/run/record.ts";
import { recordedRequests } from "../../model/run/recorded-request.ts";
import { isTerminal } from "../../model/run/run.ts";
import type { TraceContext } from "../../model/trace/propagation.ts";
import type { ClaimedRun } from "../../store/contract/store.ts";
import { rootBounds } from "../limits/bounds.ts";
import { Level } from "../limits/level.ts";
import { isLost, RunFailure, RunPaused } from "../loops/contract.ts";
import { nextStep } from "../loops/next-step.ts";
import type { EngineParts } from "../parts.ts";
import type { RunStop } from "../process/live-runs.ts";
import { retryWhileUnavailable } from "../process/retry-while-unavailable.ts";
import type { HeldMemory } from "../process/run-memory.ts";
import { Inbox } from "./inbox.ts";
import { type Recovery, readRecovery, toPlaced } from "./recovery.ts";
import { RootRun } from "./root-run.ts";
import { Scope } from "./run-scope.ts";
import { SessionState } from "./session-state.ts";
import { type StoredOptions, storedCaller } from "./stored-options.ts";

/** A root run, ready for its loop. */
export interface OpenedRun {
  readonly root: RootRun;
  readonly scope: Scope;
}

/**
 * Opens the run. Waits while the database is unreachable. Also opens a run that is cancelled meanwhile, so that it can be ended. @throws RunStopped
 */
export async function openRun(
  parts: EngineParts,
  claimed: ClaimedRun,
  component: Hosted | undefined,
  run: RunStop,
  memory: HeldMemory,
): Promise<OpenedRun> {
  const { signal } = run;
  const { key, runId, attempt, nextIndex } = claimed;
  const lost = ifLost(signal);
  const recovery =
    nextIndex > 0 ? await retryWhileUnavailable(parts, lost, () => readRecovery(parts.store, claimed)) : undefined;
  lost.throwIfAborted();
  const { caller, userLimits, ...options } = JSON.parse(claimed.options) as StoredOptions;
  const messages =
    recovery?.messages ??
    (copiedMessagesOf(options) > 0 || options.origin
      ? await retryWhileUnavailable(parts, lost, () => readMessages(parts, key))
      : []);
  lost.throwIfAborted();
  const writer = parts.journal.open({ key, attempt, nextIndex, firstKept: 0 });
  const state = new SessionState(claimed.sessionState);
  // The start's session state is applied only once; later the run may have changed it.
  if (!recovery) Object.assign(state.value, options.sessionState);
  const copied = options.origin?.messages ?? 0;
  const { store, runtime, settings } = parts;
  const inboxParts = { store, runtime, settings, signal };
  const inbox = new Inbox(inboxParts, { key, accepted: claimed.steered }, messages.slice(copied));
  run.onMessage(() => inbox.notify());
  const root = new RootRun({
    parts,
    runId,
    writer,
    session: { key: claimed.sessionKey, seq: claimed.sessionSeq, id: claimed.sessionId, state },
    principal: storedCaller(caller),
    userId: claimed.userId,
    createdAt: claimed.createdAt,
    bearer: parts.components.bearers.take(key),
    recovery,
    signal,
    memory,
    traced: { tracing: parts.tracing, origin: { runId, ...traceOf(options) }, nextIndex: () => writer.nextIndex },
    notified: {
      ...{ runId, kind: claimed.kind, componentId: claimed.componentId, userId: claimed.userId },
      webhooks: options.webhooks ?? [],
    },
    inbox,
    stop: (reason) => run.stop(reason),
  });
  memory.add(2 * (claimed.input.length + claimed.sessionState.length + (recovery?.storedBytes ?? 0)));
  const scope = new Scope(root, {
    key,
    runId,
    parentRunId: undefined,
    component: component ?? missing(claimed),
    input: JSON.parse(claimed.input) as RunInput,
    options,
    relayedBefore: nextIndex - 1,
    messages,
    hasBegun: recovery !== undefined,
    marks: recovery?.marks ?? new Map(),
    levels: rootLevels(parts, claimed, component, { userLimits, options, messages, recovery }),
    wasPaused: recovery?.wasPaused,
  });
  if (options.reportsState) root.reportState((fields) => scope.event("SessionStateChanged", fields));
  return { root, scope };
}

function traceOf({ traceparent, tracestate }: RunOptions): Partial<TraceContext> {
  return { ...(traceparent !== undefined && { traceparent }), ...(tracestate !== undefined && { tracestate }) };
}

/** The limits of a root run, with what it and the runs under it used in earlier attempts. */
function rootLevels(
  { limits, runtime }: EngineParts,
  { userId }: ClaimedRun,
  component: Hosted | undefined,
  run: {
    readonly userLimits: StoredOptions["userLimits"] | undefined;
    readonly options: RunOptions;
    readonly messages: readonly PlacedMessage[];
    readonly recovery: Recovery | undefined;
  },
): readonly Level[] {
  const bounds = rootBounds(limits, component, { userId, userLimits: run.userLimits, limits: run.options.limits });
  if (bounds.length === 0) return [];
  const level = new Level(bounds, true, runtime.clock);
  const own = run.messages.slice(copiedMessagesOf(run.options));
  const ofMembers = run.recovery?.members.flatMap(({ messages }) => messages) ?? [];
  const marks = run.recovery ? [run.recovery.marks, ...run.recovery.members.map((member) => member.marks)] : [];
  level.restore([...own, ...ofMembers], run.recovery?.pauses ?? [], marks.flatMap(recordedRequests));
  return [level];
}

/** Reads the messages that the run was created with. */
async function readMessages({ store }: EngineParts, key: number): Promise<readonly PlacedMessage[]> {
  return (await store.messages([key])).map(toPlaced);
}

/** Ends a run whose takeovers made no progress too often, including a run that has not written anything. @throws RunFailure */
export function checkTakeovers({ settings }: EngineParts, { stalledTakeovers }: ClaimedRun): void {
  if (stalledTakeovers < settings.maxStalledTakeovers) return;
  throw new RunFailure(
    "too_many_takeovers",
    `The run was taken over ${stalledTakeovers} times in a row without progress, because its process ended each time. It does not continue.`,
  );
}

/** Pauses a run whose definition has changed if the definition requires it; once for each version. @throws RunPaused */
export function pauseOnDefinitionChange(claimed: ClaimedRun, component: Hosted, scope: Scope): void {
  const hash = definitionHash(component);
  if (claimed.definitionHash === hash || component.onDefinitionChange !== "ask") return;
  const name = `definition:${hash}`;
  // A caller has continued the run after that pause.
  if (scope.mark(name) !== undefined) return;
  scope.setMark(name, true);
  const text = `The definition of ${component.name} changed while the run was unfinished. Continue the run with the new definition, or cancel it.`;
  const nothing = component.kind === "workflow" ? { stepRequirements: [] } : {};
  throw new RunPaused({ kind: component.kind === "workflow" ? "step" : "tool", requirements: [], text, ...nothing });
}

/**
 * Checks whether a recovered run can continue with the current definition.
 * @throws RunFailure
 */
export function checkRecovery(claimed: ClaimedRun, component: Hosted, recovery: Recovery): void {
  if (claimed.definitionHash === definitionHash(component)) return;
  if (component.onDefinitionChange === "fail") {
    throw new RunFailure(
      "definition_changed",
      `The definition of ${component.name} changed while the run was unfinished, and its onDefinitionChange is "fail".`,
    );
  }
  const misfit = misfitOf(component, recovery);
  if (misfit)
    throw new RunFailure(
      "definition_changed",
      `The definition of ${component.name} changed while the run was unfinished: ${misfit}`,
    );
}

/** Returns what the run needs next but the changed definition lacks. */
function misfitOf(component: Hosted, recovery: Recovery): string | undefined {
  const ids = new Set(componentsWithin([component]).map(({ id }) => id));
  const gone = recovery.members.find(({ row }) => !isTerminal(row.status) && !ids.has(row.componentId));
  if (gone) return `it has no member "${gone.row.componentId}" any more.`;
  const step = nextStep(recovery.messages.map(({ message }) => message));
  if (step.kind !== "tools" || component.kind !== "agent") return undefined;
  const servers = mcpServersOf(component);
  const isKnown = ({ name, origin }: ToolCall): boolean =>
    origin
      ? servers.some((server) => server.name === origin.server)
      : ownTools(component).some((tool) => tool.name === name) ||
        isMemoryTool(component.memory, name) ||
        isLearningTool(component.learning, name) ||
        (hasSearchTool(component) && name === searchTool);
  const call = step.calls.find((one) => !isKnown(one));
  return call && `it has no tool "${call.name}" any more.`;
}

/** A placeholder for a component that is no longer hosted, so that its run can be ended properly. */
function missing({ kind, componentId }: ClaimedRun): Hosted {
  return { kind, id: componentId, name: componentId } as Hosted;
}

/** Returns a signal that aborts when this process no longer owns the run. */
function ifLost(signal: AbortSignal): AbortSignal {
  const lost = new AbortController();
  const check = (): void => {
    if (isLost(signal.reason)) lost.abort(signal.reason);
  };
  if (signal.aborted) check();
  else signal.addEventListener("abort", check, { once: true });
  return lost.signal;
}
