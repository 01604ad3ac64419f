/** The hook of one run. */
import { useEffect, useMemo, useSyncExternalStore } from "react";
import type { ComponentKind } from "../../src/model/run/run.ts";
import type { Client } from "../client.ts";
import type { RunEvent } from "../events.ts";
import type { Answers } from "../kinds.ts";
import type { StartOptions } from "../records.ts";
import type { FollowOptions } from "../run.ts";
import {
  type ComponentOf,
  type ContentOf,
  componentOf,
  type InputOf,
  type KindOf,
  partsOf,
  type TypesOf,
} from "./component-of.ts";
import { useClient } from "./provider.ts";
import { idle, type RunState, RunStore } from "./run-store.ts";

/** Options of `useRun`. */
export interface UseRunOptions<Platform = unknown> {
  /** Default: the client of the nearest `TroupeProvider`. */
  readonly client?: Client<Platform> | undefined;
  /** A run to follow from the first event on, once the component is mounted. */
  readonly runId?: string | undefined;
  /** Session of the run to follow, and of the runs to start. */
  readonly sessionId?: string | undefined;
  /** Whether to follow with the right to read runs, for a caller who may not start them. Default false. */
  readonly readOnly?: boolean | undefined;
  /** Called with every event, also of members. */
  readonly onEvent?: ((event: RunEvent) => void) | undefined;
}

/** Actions on a run. They do not change between renders. */
export interface RunControls<Platform, Of> {
  /** Starts a run and follows it. Resolves with its id; rejects if the server does not accept it. */
  readonly start: (input: InputOf<Platform, Of>, options?: StartOptions<TypesOf<Platform, Of>>) => Promise<string>;
  /** Follows a run that was started elsewhere. */
  readonly follow: (runId: string, options?: Pick<FollowOptions, "cursor" | "sessionId" | "readOnly">) => void;
  /** Continues the paused run with answers. */
  readonly continue: (answers: readonly Answers[KindOf<Of>][]) => Promise<void>;
  /** Requests the cancellation of the run. */
  readonly cancel: () => Promise<void>;
  /** Forgets the run; it continues on the server. */
  readonly reset: () => void;
}

/**
 * A run of a component: its state, and actions on it. Lost connections are re-established. A component that unmounts stops following; the run
 * continues on the server. On a server the state is `idle`, and nothing is requested.
 *
 * @example
 * ```tsx
 * function Ask() {
 *   const run = useRun({ agent: "guide" });
 *   return <button onClick={() => run.start("A day in Lisbon")}>{run.text || "Ask"}</button>;
 * }
 * ```
 */
export function useRun<Platform = unknown, const Of extends ComponentOf<Platform> = ComponentOf<Platform>>(
  of: Of,
  options: UseRunOptions<Platform> = {},
): RunState<ContentOf<Platform, Of>> & RunControls<Platform, Of> {
  const { runId, sessionId, readOnly, onEvent } = options;
  const client = useClient(options.client);
  const [kind, id] = partsOf(of);
  const store = useMemo(
    () => new RunStore(componentOf(client as unknown as Client, kind, id) as never),
    [client, kind, id],
  );
  const controls = useMemo(
    () => ({
      start: (input: unknown, more: StartOptions = {}) =>
        store.start(input, { ...(sessionId !== undefined && { sessionId }), ...more }),
      follow: store.follow.bind(store),
      continue: (answers: readonly Answers[ComponentKind][]) => store.continue(answers),
      cancel: () => store.cancel(),
      reset: () => store.reset(),
    }),
    [store, sessionId],
  );
  useEffect(() => {
    store.onEvent = onEvent;
  }, [store, onEvent]);
  useEffect(() => {
    store.attach();
    return () => store.detach();
  }, [store]);
  useEffect(() => {
    if (runId === undefined || store.store.value.runId === runId) return;
    store.follow(runId, { ...(sessionId !== undefined && { sessionId }), ...(readOnly && { readOnly }) });
  }, [store, runId, sessionId, readOnly]);
  const state = useSyncExternalStore(store.store.subscribe, store.store.get, serverState);
  return { ...(state as RunState<ContentOf<Platform, Of>>), ...(controls as unknown as RunControls<Platform, Of>) };
}

function serverState(): RunState {
  return idle;
}
