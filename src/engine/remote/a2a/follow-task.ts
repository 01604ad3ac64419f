/**
 * Follows another server's task to its end. Resubscribes to a broken stream, after the last received frame if the server supports that. Polls a
 * server that cannot resubscribe until the task has ended.
 */
import type { Clock } from "../../../model/runtime.ts";
import type { UpstreamResponse } from "../request.ts";
import type { UpstreamCall, UpstreamEvent } from "../upstream.ts";
import { isTransient, UpstreamRefusal, UpstreamUnreachable } from "../upstream-errors.ts";
import { type A2aCalls, isStream, itemsIn, wholeResult } from "./calls.ts";
import { type Endpoint, type RemoteTask, taskIn } from "./parser.ts";
import type { TaskTranslator } from "./task-translator.ts";

/** Minimum and maximum milliseconds between two polls without news. */
const minDelay = 500;
const maxDelay = 10_000;
/** Failed requests in a row after which the server counts as unreachable. */
const maxAttempts = 8;

/** The task to follow, with the dependencies for following it. */
export interface Following {
  readonly calls: A2aCalls;
  readonly clock: Clock;
  readonly endpoint: Endpoint;
  readonly translator: TaskTranslator;
  readonly call: UpstreamCall;
}

/** Yields the events of a task until its end. @param first its stream, if already open */
export async function* follow(following: Following, first?: UpstreamResponse): AsyncGenerator<UpstreamEvent, void> {
  const { endpoint, translator } = following;
  const backoff = new Backoff(following);
  let canSubscribe = endpoint.streams;
  for (let [stream, isAgain] = [first, false]; ; [stream, isAgain] = [await subscribe(following, backoff), true]) {
    const { news, closed } = stream ? yield* read(following, stream, isAgain) : { news: false, closed: true };
    if (translator.isOver) return;
    if (translator.taskId === undefined) throw new UpstreamUnreachable("its stream ended before it named a task");
    // A stream that closes without news while the task continues is of no use: poll instead.
    if (isAgain && closed && !news) canSubscribe = false;
    if (translator.needsRecord || !canSubscribe) return yield* translator.end(await endedTask(following));
    if (news) backoff.reset();
    else if (isAgain) await backoff.next();
  }
}

/** Yields a stream's events until it ends. Returns whether any of them was new, and whether the server closed the stream. */
async function* read(
  { translator, call }: Following,
  stream: UpstreamResponse,
  isAgain: boolean,
): AsyncGenerator<UpstreamEvent, { news: boolean; closed: boolean }> {
  const before = translator.lastId;
  let hasEvents = false;
  const end = (closed: boolean) => ({ news: hasEvents || isAfter(translator.lastId, before), closed });
  let isBeginning = isAgain;
  try {
    for await (const { id, result } of itemsIn(stream)) {
      const task = taskIn(result);
      if (!task) continue;
      // A server that supports replay begins after the given frame; other servers begin with the task or with current events.
      if (isBeginning && (task.isRecord || !isAfter(id, translator.lastId))) translator.markGap();
      isBeginning = false;
      for (const event of translator.take(task, id)) {
        hasEvents = true;
        yield event;
      }
      if (translator.needsRecord) break;
    }
    return end(true);
  } catch (error) {
    const isRefused = error instanceof UpstreamRefusal && !isTransient(error);
    if (call.signal.aborted || translator.taskId === undefined || (isRefused && !isAgain)) throw error;
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
async function subscribe(
  { calls, endpoint, translator, call }: Following,
  backoff: Backoff,
): Promise<UpstreamResponse | undefined> {
  for (let attempts = 1; ; attempts++) {
    let answer: UpstreamResponse;
    try {
      answer = await calls.ask(endpoint, "subscribe", { id: translator.taskId }, call, { lastId: translator.lastId });
    } catch (error) {
      const isGone = !(error instanceof UpstreamRefusal);
      if (call.signal.aborted || (isGone && attempts >= maxAttempts)) throw error;
      if (!isTransient(error) || attempts >= maxAttempts) return undefined;
      await backoff.next();
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
async function endedTask(following: Following): Promise<RemoteTask> {
  const { calls, endpoint, translator, call } = following;
  const backoff = new Backoff(following);
  for (let attempts = 0; ; await backoff.next()) {
    try {
      const task = taskIn(await calls.result(endpoint, "get", { id: translator.taskId }, call));
      attempts = 0;
      if (task?.ending) return task;
    } catch (error) {
      if (call.signal.aborted || !isTransient(error) || ++attempts >= maxAttempts) throw error;
    }
  }
}

/** Waits with exponential backoff. */
class Backoff {
  readonly #following: Pick<Following, "clock" | "call">;
  #length = minDelay;

  constructor(following: Pick<Following, "clock" | "call">) {
    this.#following = following;
  }

  reset(): void {
    this.#length = minDelay;
  }

  /** @throws the reason for which the run is stopped meanwhile */
  async next(): Promise<void> {
    const { clock, call } = this.#following;
    await clock.sleep(this.#length, call.signal);
    call.signal.throwIfAborted();
    this.#length = Math.min(this.#length * 2, maxDelay);
  }
}
