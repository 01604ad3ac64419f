/** A member's own time-out: its scope, and those under it, stop without the team's stopping. */
import { type MemberScope, RunStopped } from "../loop-seam.ts";

/** A scope that stops after the given time. */
export interface Limited {
  readonly scope: MemberScope;
  /** Takes the time-out back. */
  cancel(): void;
}

/** @param milliseconds undefined for no time-out of its own */
export function withDeadline(scope: MemberScope, milliseconds: number | undefined): Limited {
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

/** The same scope under another signal, which its members have, too. */
function stoppedBy(scope: MemberScope, signal: AbortSignal): MemberScope {
  return {
    runKey: scope.runKey,
    component: scope.component,
    input: scope.input,
    options: scope.options,
    context: scope.context,
    runtime: scope.runtime,
    settings: scope.settings,
    interrupted: scope.interrupted,
    earlierEnd: scope.earlierEnd,
    signal,
    get messages() {
      return scope.messages;
    },
    emit(name, fields) {
      signal.throwIfAborted();
      scope.emit(name, fields);
    },
    room: () => scope.room(),
    say(message) {
      signal.throwIfAborted();
      return scope.say(message);
    },
    async commit() {
      await scope.commit();
      signal.throwIfAborted();
    },
    history: (runs) => scope.history(runs),
    tellRecovery: () => scope.tellRecovery(),
    earlierMember(component, toolCallId) {
      const member = scope.earlierMember(component, toolCallId);
      return member && stoppedBy(member, signal);
    },
    member: async (component, input, toolCallId) => stoppedBy(await scope.member(component, input, toolCallId), signal),
    end: (status, output) => scope.end(status, output),
  };
}
