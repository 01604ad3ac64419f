/** Cancels the runs of a stopped run on other servers: the run itself, and parts of it that an earlier attempt started. */
import { remotesWithin } from "../../define/within.ts";
import { isTerminal } from "../../model/run/run.ts";
import { cancelRemote } from "../remote/loop.ts";
import { toHosted } from "../remote/placeholder.ts";
import type { RootRun } from "./root-run.ts";
import type { Scope } from "./run-scope.ts";

/** Sends the cancellations and does not wait for the responses. */
export function cancelRemotes({ recovery }: RootRun, scope: Scope): void {
  const { component, runtime, settings, bearer, cancelledRemotes, spans } = scope;
  void cancelRemote(scope);
  const remotes = remotesWithin(component);
  for (const { row, marks } of recovery?.members ?? []) {
    const remote = remotes.find(({ kind, id }) => kind === row.kind && id === row.componentId);
    if (!remote || isTerminal(row.status)) continue;
    const mark = (name: string): unknown => marks.get(name);
    const shared = { runtime, settings, bearer, cancelledRemotes, spans };
    void cancelRemote({ component: toHosted(remote), context: row, mark, ...shared });
  }
}
