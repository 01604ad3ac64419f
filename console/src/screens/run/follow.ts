/** Follows the log of a run: all stored events, then the new ones. */
import { type FollowOptions, GapError, RequestError, type RunEvent } from "@troupe/client";
import { useEffect, useState } from "react";
import { runs } from "../../api/client.ts";
import type { LogEvent } from "./log-event.ts";
import type { RunName } from "./run-name.ts";
import { type Timeline, TimelineBuilder, timelineOf } from "./timeline.ts";

/**
 * - `loading`: the stored events are read. `live`: the run goes on, and so does the log. `ended`: the log is complete.
 * - `unfollowable`: the server does not resume runs of this component, or the caller may not follow it.
 * - `failed`: the error says why.
 */
export type Phase = "loading" | "live" | "ended" | "unfollowable" | "failed";

export interface Followed {
  /** The events so far. The list grows; `count` changes with it. */
  readonly events: readonly LogEvent[];
  readonly count: number;
  readonly timeline: Timeline;
  readonly phase: Phase;
  readonly error: unknown;
  /** Index of the first event that is still stored. */
  readonly firstAvailable: number;
}

const nothing: Followed = {
  ...{ events: [], count: 0, timeline: timelineOf([]), phase: "loading", error: undefined, firstAvailable: 0 },
};

/** Milliseconds between two renderings of a log that grows. */
const renderInterval = 100;

/** Milliseconds without an event after which the stored events count as read. */
const quietAfter = 400;

export function clientRun(
  { kind, component, run, session }: RunName,
  options: Pick<FollowOptions, "cursor" | "signal" | "readOnly"> = {},
) {
  const follow = { acrossPauses: true, ...options, ...(session === undefined ? {} : { sessionId: session }) };
  if (kind === "agent") return runs.agent(component).follow(run, follow);
  if (kind === "team") return runs.team(component).follow(run, follow);
  return runs.workflow(component).follow(run, follow);
}

/** The right with which the caller follows the run; undefined for a caller who may not. */
export type Right = "read" | "resume" | undefined;

/** Follows a run while the component is mounted. A change of `attempt` begins again. */
export function useFollowedRun(name: RunName, right: Right, attempt: number): Followed {
  const { kind, component, run, session } = name;
  const [followed, setFollowed] = useState(nothing);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new attempt follows again.
  useEffect(() => {
    if (right === undefined) {
      setFollowed({ ...nothing, phase: "unfollowable" });
      return;
    }
    setFollowed(nothing);
    const stop = new AbortController();
    void followInto({ kind, component, run, session }, stop.signal, right === "read", setFollowed);
    return () => stop.abort();
  }, [kind, component, run, session, right, attempt]);
  return followed;
}

async function followInto(
  name: RunName,
  signal: AbortSignal,
  readOnly: boolean,
  show: (followed: Followed) => void,
): Promise<void> {
  const events: LogEvent[] = [];
  const builder = new TimelineBuilder();
  let firstAvailable = 0;
  let phase: Phase = "loading";
  let error: unknown;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const publish = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (signal.aborted) return;
    show({ events, count: events.length, timeline: builder.timeline(), phase, error, firstAvailable });
  };
  // A run that waits sends nothing: its stored events are complete when no event has come for a moment.
  let quiet = setTimeout(() => becomeLive(), quietAfter);
  const becomeLive = (): void => {
    if (phase !== "loading" || events.length === 0) return;
    phase = "live";
    publish();
  };
  const take = (event: RunEvent): void => {
    const taken = event as unknown as LogEvent;
    events.push(taken);
    builder.take(taken);
    timer ??= setTimeout(publish, renderInterval);
    if (phase !== "loading") return;
    clearTimeout(quiet);
    quiet = setTimeout(becomeLive, quietAfter);
  };
  try {
    let run = clientRun(name, { signal, readOnly });
    for (;;) {
      try {
        for await (const event of run) take(event);
        break;
      } catch (gap) {
        if (!(gap instanceof GapError)) throw gap;
        firstAvailable = gap.firstAvailable;
        run = clientRun({ ...name }, { signal, readOnly, cursor: firstAvailable - 1 });
      }
    }
    phase = "ended";
  } catch (failure) {
    const isRefused = failure instanceof RequestError && (failure.status === 400 || failure.status === 403);
    phase = isRefused ? "unfollowable" : "failed";
    error = failure;
  } finally {
    clearTimeout(quiet);
    publish();
  }
}
