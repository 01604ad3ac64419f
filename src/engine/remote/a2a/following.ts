/**
 * Follows another server's task to its end. Resubscribes to a broken stream, after the last received frame if the server supports that. Polls a
 * server that cannot resubscribe until the task has ended.
 */
import type { Clock } from "../../../model/runtime.ts";
import type { Answer } from "../request.ts";
import type { UpstreamCall, UpstreamEvent } from "../upstream.ts";
import { isPassing, UpstreamGone, UpstreamRefusal } from "../upstream-errors.ts";
import { type A2aCalls, isStream, itemsIn, wholeResult } from "./calls.ts";
import type { TaskEvents } from "./events.ts";
import { type Endpoint, type RemoteTask, taskIn } from "./parser.ts";

/** Minimum and maximum milliseconds between two polls without news. */
const leastPause = 500;
const longestPause = 10_000;
/** Failed requests in a row after which the server counts as unreachable. */
const mostTries = 8;

/** The task to follow, and what following it needs. */
export interface Following {
  readonly calls: A2aCalls;
  readonly clock: Clock;
  readonly endpoint: Endpoint;
  readonly telling: TaskEvents;
  readonly call: UpstreamCall;
}

/** Yields the events of a task until its end. @param first its stream, if already open */
export async function* follow(following: Following, first?: Answer): AsyncGenerator<UpstreamEvent, void> {
  const { endpoint, telling } = following;
  const pauses = new Pauses(following);
  let canSubscribe = endpoint.streams;
  for (let [stream, isAgain] = [first, false]; ; [stream, isAgain] = [await subscribe(following, pauses), true]) {
    const { news, closed } = stream ? yield* read(following, stream, isAgain) : { news: false, closed: true };
    if (telling.isOver) return;
    if (telling.taskId === undefined) throw new UpstreamGone("its stream ended before it told of a task");
    // A stream that closes without news while the task continues is of no use: poll instead.
    if (isAgain && closed && !news) canSubscribe = false;
    if (telling.endsUnseen || !canSubscribe) return yield* telling.end(await settled(following));
    if (news) pauses.reset();
    else if (isAgain) await pauses.next();
  }
}

/** Yields a stream's events until it ends. Returns whether they were new, and whether the server closed the stream. */
async function* read(
  { telling, call }: Following,
  stream: Answer,
  isAgain: boolean,
): AsyncGenerator<UpstreamEvent, { news: boolean; closed: boolean }> {
  const before = telling.lastId;
  let hasTold = false;
  const end = (closed: boolean) => ({ news: hasTold || isAfter(telling.lastId, before), closed });
  let isBeginning = isAgain;
  try {
    for await (const { id, result } of itemsIn(stream)) {
      const task = taskIn(result);
      if (!task) continue;
      // A server that replays begins after the given frame; any other begins with the task or with current events.
      if (isBeginning && (task.isRecord || !isAfter(id, telling.lastId))) telling.missed();
      isBeginning = false;
      for (const event of telling.take(task, id)) {
        hasTold = true;
        yield event;
      }
      if (telling.endsUnseen) break;
    }
    return end(true);
  } catch (error) {
    const isRefused = error instanceof UpstreamRefusal && !isPassing(error);
    if (call.signal.aborted || telling.taskId === undefined || (isRefused && !isAgain)) throw error;
    return end(error instanceof UpstreamRefusal);
  }
}

/**
 * Whether a frame's id follows another id. Troupe's ids consist of an event's index and a frame's index within it. Ids of other formats may
 * mean anything, times for instance, and do not show whether a frame was missed.
 */
function isAfter(id = "", last = ""): boolean {
  const [[event, frame], [lastEvent, lastFrame]] = [placeIn(id), placeIn(last)];
  return event > lastEvent || (event === lastEvent && frame > lastFrame);
}

function placeIn(id: string): readonly [event: number, frame: number] {
  const [, event, frame] = /^(\d+)\.(\d+)$/.exec(id) ?? [];
  return [Number(event), Number(frame)];
}

/** The task's stream from now on, or after the last received frame; undefined if the server has none. */
async function subscribe({ calls, endpoint, telling, call }: Following, pauses: Pauses): Promise<Answer | undefined> {
  for (let tries = 1; ; tries++) {
    let answer: Answer;
    try {
      answer = await calls.ask(endpoint, "subscribe", { id: telling.taskId }, call, { lastId: telling.lastId });
    } catch (error) {
      const isGone = !(error instanceof UpstreamRefusal);
      if (call.signal.aborted || (isGone && tries >= mostTries)) throw error;
      if (!isPassing(error) || tries >= mostTries) return undefined;
      await pauses.next();
      continue;
    }
    if (isStream(answer)) return answer;
    // Any other response is an error.
    await wholeResult(answer).catch(() => undefined);
    call.signal.throwIfAborted();
    return undefined;
  }
}

/** Polls a task until it has ended or waits for input. */
async function settled(following: Following): Promise<RemoteTask> {
  const { calls, endpoint, telling, call } = following;
  const pauses = new Pauses(following);
  for (let tries = 0; ; await pauses.next()) {
    try {
      const task = taskIn(await calls.result(endpoint, "get", { id: telling.taskId }, call));
      tries = 0;
      if (task?.ending) return task;
    } catch (error) {
      if (call.signal.aborted || !isPassing(error) || ++tries >= mostTries) throw error;
    }
  }
}

/** Waits with exponential backoff. */
class Pauses {
  readonly #following: Pick<Following, "clock" | "call">;
  #length = leastPause;

  constructor(following: Pick<Following, "clock" | "call">) {
    this.#following = following;
  }

  reset(): void {
    this.#length = leastPause;
  }

  /** @throws the reason for which the run is stopped meanwhile */
  async next(): Promise<void> {
    const { clock, call } = this.#following;
    await clock.sleep(this.#length, call.signal);
    call.signal.throwIfAborted();
    this.#length = Math.min(this.#length * 2, longestPause);
  }
}
