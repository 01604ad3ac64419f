/** The hook of a session: its runs, and the run that is in progress. */
import { useCallback, useEffect, useRef } from "react";
import type { Client } from "../client.ts";
import { RequestError } from "../errors.ts";
import type { RunEvent } from "../events.ts";
import type { RunRecord, StartOptions } from "../records.ts";
import { type ComponentOf, type ContentOf, componentOf, type InputOf, partsOf, type TypesOf } from "./component-of.ts";
import { useLoaded } from "./loaded.ts";
import { useClient } from "./provider.ts";
import { type RunControls, useRun } from "./run.ts";
import type { RunState } from "./run-store.ts";

/** Options of `useSession`. */
export interface UseSessionOptions<Platform = unknown> {
  /** Default: the client of the nearest `TroupeProvider`. */
  readonly client?: Client<Platform> | undefined;
  /** Maximum number of runs, counted from the last. Default 50. */
  readonly limit?: number | undefined;
  /** Called with every event of the run in progress. */
  readonly onEvent?: ((event: RunEvent) => void) | undefined;
}

/** A session of a component. */
export interface SessionState<Platform, Of> {
  /** The runs before the current one, oldest first. `run_input` is the message of each. */
  readonly runs: readonly RunRecord[];
  /** The run that this hook started or found in progress. */
  readonly run: RunState<ContentOf<Platform, Of>> & Omit<RunControls<Platform, Of>, "start" | "follow" | "reset">;
  /** Whether the runs have not been loaded yet. */
  readonly isLoading: boolean;
  /** Why the runs could not be loaded. */
  readonly error: Error | undefined;
  /** Starts the next run of the session. Resolves with its id. */
  readonly send: (
    input: InputOf<Platform, Of>,
    options?: Omit<StartOptions<TypesOf<Platform, Of>>, "sessionId">,
  ) => Promise<string>;
  /** Loads the runs again. */
  readonly refresh: () => Promise<void>;
}

const noRuns: readonly RunRecord[] = [];

/**
 * A session of a component: its earlier runs, and the current one. A run that is in progress or paused when the session is loaded is followed. An unknown
 * session has no runs; the first message creates it.
 *
 * @example
 * ```tsx
 * function Conversation({ id }: { id: string }) {
 *   const { runs, run, send } = useSession({ team: "desk" }, id);
 *   return <main>{runs.map((one) => <p key={one.run_id}>{String(one.content)}</p>)}<p>{run.text}</p><button onClick={() => send("Hello")}>Send</button></main>;
 * }
 * ```
 */
export function useSession<Platform = unknown, const Of extends ComponentOf<Platform> = ComponentOf<Platform>>(
  of: Of,
  sessionId: string,
  options: UseSessionOptions<Platform> = {},
): SessionState<Platform, Of> {
  const { limit = 50, onEvent } = options;
  const client = useClient(options.client);
  const [kind, id] = partsOf(of);
  const run = useRun<Platform, Of>(of, { client, sessionId, onEvent });
  const load = useCallback(async (): Promise<readonly RunRecord[]> => {
    try {
      const found = await componentOf(client as unknown as Client, kind, id).runs({ sessionId, limit });
      return found.filter(({ status }) => status !== "REGENERATED").reverse();
    } catch (error) {
      // A session exists after its first run.
      if (error instanceof RequestError && error.status === 404 && error.message === "Session not found") return noRuns;
      throw error;
    }
  }, [client, kind, id, sessionId, limit]);
  const { value: records = noRuns, isLoading, error, refresh } = useLoaded(load);
  const { status, runId, follow, reset } = run;
  const last = records.at(-1);
  const live = last && isUnfinished(last) ? last.run_id : undefined;
  useEffect(() => {
    if (live !== undefined && status === "idle") follow(live, { sessionId });
  }, [live, status, follow, sessionId]);
  // Another session begins without the run of the previous one.
  const shown = useRef(sessionId);
  useEffect(() => {
    if (shown.current === sessionId) return;
    shown.current = sessionId;
    reset();
  }, [sessionId, reset]);
  const { start } = run;
  const send = useCallback(
    async (input: InputOf<Platform, Of>, more: Omit<StartOptions<TypesOf<Platform, Of>>, "sessionId"> = {}) => {
      await refresh();
      return await start(input, { ...more, sessionId } as StartOptions<TypesOf<Platform, Of>>);
    },
    [refresh, start, sessionId],
  );
  return { runs: records.filter((one) => one.run_id !== runId), run, isLoading, error, send, refresh };
}

function isUnfinished({ status }: RunRecord): boolean {
  return status === "PENDING" || status === "RUNNING" || status === "PAUSED";
}
