/** A run that the chat follows: its log, its view, and the state of its connection. A store outside of React. */
import {
  type ConnectionState,
  type FollowOptions,
  GapError,
  RequestError,
  type Run,
  type RunEvent,
} from "@troupe/client";
import { runsThrough } from "../../api/client.ts";
import type { ComponentKind } from "../../api/component-kinds.ts";
import { Line } from "./line.ts";
import { emptyView, nextView, type RunView } from "./run-view.ts";

/** The component and the session of a chat. */
export interface Place {
  readonly kind: ComponentKind;
  readonly id: string;
  readonly sessionId: string | undefined;
}

/** A resumption of the stream. */
export interface Resume {
  /** Index of the last event before the connection was lost. */
  readonly cursor: number;
  /** Number of events that the run emitted meanwhile. */
  readonly missed: number;
  /** Whether the person cut the connection. */
  readonly wasCut: boolean;
}

export interface FollowedState {
  readonly view: RunView;
  /** Index of the last event; -1 for none. */
  readonly cursor: number;
  readonly connection: "connecting" | "live" | "lost" | "cut" | "ended" | "failed";
  readonly lastResume: Resume | undefined;
  /** Why the run cannot be followed. */
  readonly error: unknown;
}

type RunClient = ReturnType<typeof runsThrough>;

interface OpenOptions {
  readonly acrossPauses: boolean;
  /** Follows with the right to read runs. */
  readonly readOnly: boolean;
}

/** How long a cut lasts, so that a person sees it. */
const cutDuration = 3_000;

/** The view is published at most this often. */
const publishInterval = 40;

export class FollowedRun {
  readonly runId: string;
  readonly #place: Place;
  readonly #line: Line;
  readonly #log: RunEvent[] = [];
  readonly #listeners = new Set<() => void>();
  readonly #stop = new AbortController();
  readonly #readOnly: boolean;
  #run: Run;
  #acrossPauses: boolean;
  #wasCut = false;
  #state: FollowedState = {
    view: emptyView,
    cursor: -1,
    connection: "connecting",
    lastResume: undefined,
    error: undefined,
  };
  #published: FollowedState = this.#state;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Follows a run from its first event, up to its end or, without `acrossPauses`, a pause. */
  static open(place: Place, runId: string, options: OpenOptions): FollowedRun {
    return new FollowedRun(place, runId, new Line(), options);
  }

  /** Follows a run that a request starts; `begin` sends the request. @throws RequestError */
  static async begin(
    place: Place,
    begin: (client: RunClient, options: Pick<FollowOptions, "onConnection">) => Promise<Run>,
  ): Promise<FollowedRun> {
    const line = new Line();
    let followed: FollowedRun | undefined;
    // The state of the connection changes only when the run is iterated.
    const run = await begin(runsThrough(line.fetch), {
      onConnection: (connection) => {
        if (followed) followed.#connected(connection);
      },
    });
    followed = new FollowedRun(place, run.id, line, { acrossPauses: true, readOnly: false }, run);
    return followed;
  }

  private constructor(place: Place, runId: string, line: Line, { acrossPauses, readOnly }: OpenOptions, run?: Run) {
    this.#acrossPauses = acrossPauses;
    this.#readOnly = readOnly;
    this.#place = place;
    this.runId = runId;
    this.#line = line;
    this.#run = run ?? this.#follow(-1);
    // The caller's assignment comes first, so that it receives every state of the connection.
    queueMicrotask(() => void this.#read());
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly state = (): FollowedState => this.#published;

  /** Ends the connection for a moment. The run continues on the server, and the client resumes after the cursor. */
  cut(): void {
    this.#wasCut = true;
    this.#change({ connection: "cut" });
    this.#line.cut(cutDuration);
  }

  /** Resolves when the session of the run is known, or when the run cannot be followed. */
  async knowsSession(): Promise<void> {
    while (this.#state.view.sessionId === undefined && !["ended", "failed"].includes(this.#state.connection)) {
      await new Promise<void>((resolve) => {
        const stop = this.subscribe(() => {
          stop();
          resolve();
        });
      });
    }
  }

  /** Follows the run again if its stream has ended, because an answer continues it. */
  wake(): void {
    if (this.#state.connection !== "ended") return;
    this.#acrossPauses = true;
    this.#run = this.#follow(this.#state.cursor);
    void this.#read();
  }

  /** Follows the run again after a failure. */
  retry(): void {
    if (this.#state.connection !== "failed") return;
    this.#change({ connection: "connecting", error: undefined });
    this.#run = this.#follow(this.#run.cursor);
    void this.#read();
  }

  /** Stops following. The run continues. */
  close(): void {
    this.#stop.abort(new Error("The page no longer shows the run."));
    this.#line.cut(0);
    clearTimeout(this.#timer);
  }

  #follow(cursor: number): Run {
    const component = runsThrough(this.#line.fetch)[this.#place.kind](this.#place.id);
    const sessionId = this.#state.view.sessionId ?? this.#place.sessionId;
    return component.follow(this.runId, {
      cursor,
      ...(sessionId === undefined ? {} : { sessionId }),
      acrossPauses: this.#acrossPauses,
      readOnly: this.#readOnly,
      onConnection: (connection) => this.#connected(connection),
      signal: this.#stop.signal,
    });
  }

  async #read(): Promise<void> {
    try {
      for (;;) {
        for await (const event of this.#run) {
          this.#change({ view: nextView(this.#state.view, this.#log, event), cursor: this.#run.cursor });
          this.#log.push(event);
        }
        // The stream of a start ends with a pause; another caller may answer it.
        const { rootId, nodes } = this.#state.view;
        if (!this.#acrossPauses || rootId === undefined || nodes[rootId]?.status !== "paused") break;
        this.#run = this.#follow(this.#run.cursor);
      }
      this.#change({ connection: "ended", cursor: this.#run.cursor });
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      // A second rejected token: the next attempt waits for the next sign-in.
      if (error instanceof RequestError && error.status === 401) {
        this.#run = this.#follow(this.#run.cursor);
        return await this.#read();
      }
      this.#change({ connection: "failed", error });
    }
  }

  #connected({ state, cursor, missed }: ConnectionState): void {
    const { connection, lastResume } = this.#state;
    // The record of a paused workflow has an index, but is no event.
    this.#state = { ...this.#state, cursor };
    if (state === "open") {
      const isSame = connection === "live" && lastResume?.cursor === cursor;
      const wasCut = isSame ? lastResume.wasCut : this.#wasCut;
      if (!isSame) this.#wasCut = false;
      const resume = connection === "lost" || connection === "cut" || (isSame && missed !== undefined);
      this.#change({ connection: "live", ...(resume && { lastResume: { cursor, missed: missed ?? 0, wasCut } }) });
    } else if (state === "lost" && !this.#stop.signal.aborted) {
      this.#change({ connection: this.#wasCut ? "cut" : "lost" });
    }
  }

  #change(change: Partial<FollowedState>): void {
    this.#state = { ...this.#state, ...change };
    const publish = (): void => {
      this.#timer = undefined;
      this.#published = this.#state;
      for (const listener of this.#listeners) listener();
    };
    if (change.connection !== undefined) {
      clearTimeout(this.#timer);
      publish();
    } else this.#timer ??= setTimeout(publish, publishInterval);
  }
}

/** Whether the log of a run is no longer stored in full, so that only its record can be shown. */
export function hasNoLog(error: unknown): boolean {
  return error instanceof GapError || (error instanceof RequestError && (error.status === 400 || error.status === 404));
}
