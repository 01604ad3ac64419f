/** The state of a chat: its turns, and the actions that start and steer runs. */

import { useQuery } from "@tanstack/react-query";
import type { RunRecord } from "@troupe/client";
import { useCallback, useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { runs } from "../../api/client.ts";
import { notifyDone, notifyError } from "../../api/queries.ts";
import { type Given, sendAnswers } from "../../components/questions.ts";
import { type Permission, useMay } from "../../session/me.ts";
import { FollowedRun, type FollowedState, hasNoLog, type Place } from "./followed-run.ts";
import { messageOf, turnsQuery } from "./queries.ts";
import { emptyView, viewOfRecord } from "./run-view.ts";

/** A message and the run that answers it. */
export interface Turn {
  readonly runId: string;
  readonly message: string;
  /** Files of the message, while this page that sent them is open. */
  readonly files: readonly File[];
  readonly record: RunRecord | undefined;
  /** Undefined for a caller who may not follow runs. */
  readonly followed: FollowedRun | undefined;
}

/** Routes of a component kind that the chat needs permission for. */
export interface Abilities {
  readonly start: boolean;
  readonly follow: "read" | "resume" | undefined;
  readonly answer: boolean;
  readonly cancel: boolean;
  readonly approve: boolean;
}

/** A successor of a run. */
export interface Again {
  readonly input?: string;
  /** In a new session, with copies of the runs before. */
  readonly fork: boolean;
}

export interface Chat {
  readonly place: Place;
  readonly turns: readonly Turn[];
  readonly isLoading: boolean;
  readonly error: unknown;
  readonly may: Abilities;
  /** The text of a message whose run is being started. */
  readonly sending: string | undefined;
  readonly refetch: () => void;
  /** Resolves to false if the server rejected the start. */
  readonly send: (message: string, files: readonly File[]) => Promise<boolean>;
  readonly again: (turn: Turn, again: Again) => Promise<boolean>;
  readonly answer: (turn: Turn, given: readonly Given[]) => Promise<void>;
  readonly cancel: (turn: Turn) => Promise<void>;
}

interface Begun {
  readonly followed: FollowedRun;
  readonly message: string;
  readonly files: readonly File[];
  /** Session in which the run was begun; undefined for a new one. */
  readonly sessionId: string | undefined;
  readonly replaces?: string | undefined;
}

interface ChatChoice {
  /** The run that is shown. */
  readonly current: string | undefined;
  /** The version of the component that new runs use. */
  readonly version: number | undefined;
}

const readInterval = 3_000;

export function useChat(
  place: Place,
  { current, version }: ChatChoice,
  onRun: (runId: string, sessionId: string | undefined) => void,
): Chat {
  const { kind, id, sessionId } = place;
  const may = useAbilities(place);
  const [begun, setBegun] = useState<readonly Begun[]>([]);
  const [sending, setSending] = useState<string>();
  const registry = useRegistry();
  const { data, error, isLoading, refetch } = useQuery({
    ...turnsQuery(place),
    // A caller who may not follow runs reads them again while they are in progress.
    refetchInterval: ({ state }) => (!may.follow && state.data?.some(isInProgress) ? readInterval : false),
  });
  const turns = useMemo(() => {
    const here = begun.filter(
      (one) => (one.sessionId ?? one.followed.state().view.sessionId ?? sessionId) === sessionId,
    );
    const replaced = new Set(here.map(({ replaces }) => replaces));
    const records = (data ?? []).filter(({ run_id: runId }) => !replaced.has(runId));
    const known = new Map(here.map((one) => [one.followed.runId, one]));
    const listed = records.map((record, at): Turn => {
      // A browser has few connections, so only one paused run keeps its own.
      const acrossPauses = current === undefined ? at === records.length - 1 : record.run_id === current;
      const own = known.get(record.run_id);
      known.delete(record.run_id);
      const followed =
        own?.followed ??
        (may.follow
          ? registry.open(place, record.run_id, { acrossPauses, readOnly: may.follow === "read" })
          : undefined);
      return { runId: record.run_id, message: messageOf(record), files: own?.files ?? [], record, followed };
    });
    const added = [...known.values()]
      .filter(({ followed: { runId } }) => !replaced.has(runId))
      .map(
        ({ followed, message, files }): Turn => ({
          runId: followed.runId,
          message,
          files,
          record: undefined,
          followed,
        }),
      );
    return [...listed, ...added];
  }, [data, begun, may.follow, registry, place, sessionId, current]);

  const begin = useCallback(
    async (
      text: string,
      start: Parameters<typeof FollowedRun.begin>[1],
      facts: Omit<Begun, "followed" | "message">,
    ) => {
      setSending(text);
      try {
        const at: Place = { kind, id, sessionId: facts.sessionId };
        const followed = await FollowedRun.begin(at, start);
        registry.add(followed);
        setBegun((before) => [...before, { ...facts, followed, message: text }]);
        await followed.knowsSession();
        onRun(followed.runId, followed.state().view.sessionId);
        return true;
      } catch (cause) {
        notifyError(cause);
        return false;
      } finally {
        setSending(undefined);
      }
    },
    [kind, id, onRun, registry],
  );

  const send: Chat["send"] = (message, files) =>
    begin(
      message,
      (client, options) =>
        client[kind](id).start(message, {
          ...{ ...options, files },
          ...(sessionId === undefined ? {} : { sessionId }),
          ...(version === undefined ? {} : { version }),
        }),
      { files, sessionId },
    );

  const again: Chat["again"] = (turn, { input, fork }) =>
    begin(
      input ?? turn.message,
      (client, options) =>
        client[kind](id)
          .follow(turn.runId, sessionId === undefined ? {} : { sessionId })
          .startSuccessor({ ...options, regenerate: true, fork, ...(input === undefined ? {} : { input }) }),
      { files: turn.files, sessionId: fork ? undefined : sessionId, replaces: fork ? undefined : turn.runId },
    );

  const answer: Chat["answer"] = async (turn, given) => {
    try {
      await sendAnswers(runs, { kind, componentId: id, runId: turn.runId, ...inSession(turn, sessionId) }, given);
    } catch (cause) {
      notifyError(cause);
    } finally {
      turn.followed?.wake();
    }
  };

  const cancel: Chat["cancel"] = async (turn) => {
    try {
      await runs[kind](id).follow(turn.runId, inSession(turn, sessionId)).cancel();
      notifyDone("The server cancels the run.");
    } catch (cause) {
      notifyError(cause);
    }
  };

  return {
    ...{ place, turns, isLoading, error, may, sending },
    ...{ refetch: () => void refetch(), send, again, answer, cancel },
  };
}

/** The state of a turn's run: from its log, or from its record if the log is not available. */
export function useTurnState({ followed, record }: Turn, { kind, id }: Place): FollowedState {
  const live = useSyncExternalStore(followed?.subscribe ?? never, followed?.state ?? noState);
  const needsRecord = !followed || (live.connection === "failed" && hasNoLog(live.error));
  return useMemo(() => {
    if (!needsRecord || !record) return live;
    return { ...noState(), view: viewOfRecord(record, kind, id), connection: "ended" };
  }, [needsRecord, record, live, kind, id]);
}

const unread: FollowedState = {
  view: emptyView,
  cursor: -1,
  connection: "connecting",
  lastResume: undefined,
  error: undefined,
};

function noState(): FollowedState {
  return unread;
}

function never(): () => void {
  return () => {};
}

function isInProgress({ status }: RunRecord): boolean {
  return status === "RUNNING" || status === "PENDING";
}

function inSession({ followed, record }: Turn, sessionId: string | undefined): { readonly sessionId?: string } {
  const known = followed?.state().view.sessionId ?? record?.session_id ?? sessionId;
  return known === undefined ? {} : { sessionId: known };
}

function useAbilities({ kind, id }: Place): Abilities {
  const may = useMay();
  const route = (rest: string): Permission => `POST /${kind}s/{${kind}_id}/runs${rest}`;
  const start = may(route(""), id);
  const read = may(`GET /${kind}s/{${kind}_id}/runs/{run_id}/events`, id);
  const resume = may(route("/{run_id}/resume"), id);
  const follow = read ? "read" : resume ? "resume" : undefined;
  const answer = may(route("/{run_id}/continue"), id);
  const cancel = may(route("/{run_id}/cancel"), id);
  const approve = may("POST /approvals/{approval_id}/resolve");
  return useMemo(() => ({ start, follow, answer, cancel, approve }), [start, follow, answer, cancel, approve]);
}

/** The runs that this page follows. It stops following them when it closes. */
class Registry {
  readonly #runs = new Map<string, FollowedRun>();
  #closing: ReturnType<typeof setTimeout> | undefined;

  open(place: Place, runId: string, options: Parameters<typeof FollowedRun.open>[2]): FollowedRun {
    const known = this.#runs.get(runId);
    if (known) return known;
    const opened = FollowedRun.open(place, runId, options);
    this.#runs.set(runId, opened);
    return opened;
  }

  add(followed: FollowedRun): void {
    this.#runs.set(followed.runId, followed);
  }

  keep(): void {
    clearTimeout(this.#closing);
  }

  /** React's strict mode unmounts and mounts a component at once. */
  closeSoon(): void {
    this.#closing = setTimeout(() => {
      for (const followed of this.#runs.values()) followed.close();
      this.#runs.clear();
    });
  }
}

function useRegistry(): Registry {
  const [registry] = useState(() => new Registry());
  useEffect(() => {
    registry.keep();
    return () => registry.closeSoon();
  }, [registry]);
  return registry;
}
