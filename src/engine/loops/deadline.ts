/** A member's own time-out: its scope and the scopes under it stop while the team continues. */
import type { Hosted } from "../../define/platform.ts";
import { type MemberScope, RunStopped, type WorkflowScope } from "./contract.ts";

/** A scope that stops after the given time. */
export interface Limited<C extends Hosted> {
  readonly scope: MemberScope<C>;
  /** Cancels the time-out. */
  cancel(): void;
}

/** @param milliseconds undefined if the member has no time-out */
export function withDeadline<C extends Hosted>(scope: MemberScope<C>, milliseconds: number | undefined): Limited<C> {
  if (milliseconds === undefined) return { scope, cancel: () => undefined };
  const controller = new AbortController();
  const stop = (): void => controller.abort(scope.signal.reason);
  if (scope.signal.aborted) stop();
  scope.signal.addEventListener("abort", stop, { once: true });
  const cancelTimer = scope.runtime.clock.after(milliseconds, () => {
    controller.abort(new RunStopped({ kind: "timeout", milliseconds }));
  });
  return {
    scope: stoppedBy(scope, controller.signal),
    cancel() {
      cancelTimer();
      scope.signal.removeEventListener("abort", stop);
    },
  };
}

/** Returns the same scope with another signal, which its members' scopes use, too. */
function stoppedBy<C extends Hosted>(scope: MemberScope<C>, signal: AbortSignal): MemberScope<C> {
  // The scope of a nested workflow contains executors.
  const { executor, earlierExecutor, executorRuns } = scope as unknown as WorkflowScope;
  const executors: Pick<WorkflowScope, "executor" | "earlierExecutor" | "executorRuns"> = {
    executorRuns: () => executorRuns.apply(scope),
    executor: async (...given) => stoppedBy(await executor.apply(scope, given), signal) as never,
    earlierExecutor(...given) {
      const earlier = earlierExecutor.apply(scope, given);
      return (earlier && stoppedBy(earlier, signal)) as never;
    },
  };
  return {
    ...executors,
    runKey: scope.runKey,
    component: scope.component,
    input: scope.input,
    options: scope.options,
    context: scope.context,
    runtime: scope.runtime,
    settings: scope.settings,
    toolServers: scope.toolServers,
    connections: scope.connections,
    learnings: scope.learnings,
    memories: scope.memories,
    searchKnowledge: scope.searchKnowledge,
    meter: scope.meter,
    prices: scope.prices,
    responses: scope.responses,
    spans: scope.spans,
    past: scope.past,
    interrupted: scope.interrupted,
    answered: scope.answered,
    earlierEnd: scope.earlierEnd,
    isContinued: scope.isContinued,
    copiedMessages: scope.copiedMessages,
    hasBegun: scope.hasBegun,
    bearer: scope.bearer,
    cancelledRemotes: scope.cancelledRemotes,
    relayedBefore: scope.relayedBefore,
    signal,
    get messages() {
      return scope.messages;
    },
    get requests() {
      return scope.requests;
    },
    emit(name, fields) {
      signal.throwIfAborted();
      scope.emit(name, fields);
    },
    relay(fields, index) {
      signal.throwIfAborted();
      scope.relay(fields, index);
    },
    emittedText: () => scope.emittedText(),
    room: () => scope.room(),
    waitForRoom: () => scope.waitForRoom(),
    count: (characters) => scope.count(characters),
    appendMessage(message) {
      signal.throwIfAborted();
      return scope.appendMessage(message);
    },
    async commit() {
      await scope.commit();
      signal.throwIfAborted();
    },
    emitRecovery: () => scope.emitRecovery(),
    earlierMember(component, toolCallId) {
      const member = scope.earlierMember(component, toolCallId);
      return member && stoppedBy(member, signal);
    },
    member: async (component, input, toolCallId) => stoppedBy(await scope.member(component, input, toolCallId), signal),
    mark: (name) => scope.mark(name),
    setMark(name, value) {
      signal.throwIfAborted();
      scope.setMark(name, value);
    },
    recordRequest(name, request) {
      signal.throwIfAborted();
      scope.recordRequest(name, request);
    },
    pause: (output) => scope.pause(output),
    end: (status, output) => scope.end(status, output),
  };
}
