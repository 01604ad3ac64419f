/** Executes one root run from its claim to its one terminal event. */
import type { Hosted } from "../../define/platform.ts";
import { InvariantError, TroupeError } from "../../errors.ts";
import { abortable } from "../../model/abortable.ts";
import type { ClaimedRun } from "../../store/contract/store.ts";
import { isLost, RunFailure, RunPaused } from "../loops/contract.ts";
import { loopOf } from "../loops/loop-of.ts";
import type { EngineParts } from "../parts.ts";
import type { LiveRuns, RunStop } from "../process/live-runs.ts";
import type { HeldMemory } from "../process/run-memory.ts";
import { remoteOf } from "../remote/placeholder.ts";
import { cancelRemotes } from "./cancel-remotes.ts";
import { complete, type ExecutionResult, endUnopened, fail, pause } from "./ending.ts";
import { checkRecovery, checkTakeovers, openRun, pauseOnDefinitionChange } from "./open-run.ts";

/**
 * Executes the run; resolves when it has ended or this process no longer owns it. Never rejects.
 * @param started the component that was built or opened for the run's start
 */
export async function execute(
  parts: EngineParts,
  live: LiveRuns,
  claimed: ClaimedRun,
  started?: Hosted,
): Promise<ExecutionResult> {
  const run = live.add(claimed);
  const memory = parts.memory.open(claimed.userId);
  try {
    return await openAndRun(parts, claimed, run, memory, started);
  } catch (error) {
    if (run.signal.aborted && isLost(run.signal.reason)) return { sessionWaits: false };
    return await endUnopened(parts, claimed, error);
  } finally {
    live.remove(claimed.key, run);
    memory.release();
  }
}

async function openAndRun(
  parts: EngineParts,
  claimed: ClaimedRun,
  run: RunStop,
  memory: HeldMemory,
  started: Hosted | undefined,
): Promise<ExecutionResult> {
  const found = started ?? parts.components.ofRun(claimed, run.signal);
  const { component, fault } = found instanceof Promise ? await built(found, run.signal) : { component: found };
  const { root, scope } = await openRun(parts, claimed, component, run, memory);
  const cancelTimer = startTimeout(parts, run, component);
  try {
    if (claimed.cancelRequested) run.stop({ kind: "cancelled" });
    root.check();
    if (fault) throw fault;
    if (!component) throw notHosted(claimed);
    checkTakeovers(parts, claimed);
    // The log of a remote run is a copy: none of its events are void, and the other server holds its definition.
    if (remoteOf(component)) {
      if (root.recovery?.wasPaused) scope.emitRecovery();
    } else if (root.recovery) {
      checkRecovery(claimed, component, root.recovery);
      scope.emitRecovery();
      pauseOnDefinitionChange(claimed, component, scope);
    }
    // Rejects with the stop reason at once: functions of definitions may ignore the signal.
    for (;;) {
      const output = await abortable(loopOf(component)(scope), root.signal);
      const result = await complete(root, scope, output);
      if (result) return result;
      // A message arrived with the end: the loop goes on from its messages.
      scope.hasBegun = true;
      scope.shownAnswer = output;
      root.inbox.notify();
    }
  } catch (error) {
    if (error instanceof RunPaused && !root.signal.aborted) return await pause(root, scope, error.pause);
    if (component && root.signal.aborted && !isLost(root.signal.reason)) cancelRemotes(root, scope);
    return await fail(root, scope, error);
  } finally {
    cancelTimer();
  }
}

/** Returns the component that a factory or versions build for the run. A fault is thrown after the run is opened, so that the run ends with it. */
async function built(
  building: Promise<Hosted | undefined>,
  signal: AbortSignal,
): Promise<{ readonly component: Hosted | undefined; readonly fault?: RunFailure }> {
  try {
    return { component: await abortable(building, signal) };
  } catch (error) {
    if (error instanceof RunFailure) return { component: undefined, fault: error };
    const why = error instanceof TroupeError ? error.message : "it failed.";
    const fault = new RunFailure("factory_error", `The factory did not build what the run needs: ${why}`, error);
    return { component: undefined, fault };
  }
}

/** A run that is not hosted here is only claimed by its key, to be cancelled. */
function notHosted({ kind, componentId }: ClaimedRun): InvariantError {
  return new InvariantError(`A run of the ${kind} "${componentId}" was taken, and it is not hosted.`);
}

function startTimeout(parts: EngineParts, run: RunStop, component: Hosted | undefined): () => void {
  const milliseconds = component?.timeout ?? parts.settings.runTimeout;
  return parts.runtime.clock.after(milliseconds, () => run.stop({ kind: "timeout", milliseconds }));
}
