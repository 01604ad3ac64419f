/** Starts a run on another server and waits until its id there is known. */
import type { Remote } from "../../define/remote.ts";
import { abortable } from "../../model/abortable.ts";
import { isLost, type RunScope } from "../loops/contract.ts";
import { bearerFor } from "./bearers.ts";
import type { Upstream, UpstreamCall, UpstreamEvent, UpstreamEvents, UpstreamRun, UpstreamStart } from "./upstream.ts";
import { UpstreamRefusal, UpstreamUnreachable } from "./upstream-errors.ts";

/** The parts of the run's scope that starting needs. */
type Starter = Pick<RunScope, "signal" | "bearer" | "runtime" | "runKey" | "spans">;

/** A run that the other server has accepted. */
export interface BegunUpstream {
  readonly run: UpstreamRun;
  readonly events: AsyncIterable<UpstreamEvent>;
}

/**
 * Starts the run. If the local run stops meanwhile, this function does not wait for the other server. The run there
 * is then cancelled, unless another process continues the local run.
 */
export async function begin(
  { signal, bearer, runtime, runKey, spans }: Starter,
  { remote, upstream }: { readonly remote: Remote; readonly upstream: Upstream },
  start: UpstreamStart,
): Promise<BegunUpstream> {
  const connection = new AbortController();
  const disconnect = (): void => connection.abort(signal.reason);
  const call: UpstreamCall = {
    bearer: await bearerFor(remote, bearer),
    signal: connection.signal,
    trace: spans.headers(),
  };
  const beginning = identified(upstream.start(start, call), start);
  try {
    const begun = await abortable(beginning, signal);
    signal.throwIfAborted();
    signal.addEventListener("abort", disconnect, { once: true });
    return begun;
  } catch (error) {
    if (!signal.aborted || isLost(signal.reason)) disconnect();
    else {
      const cancelling = beginning.then(({ run }) => upstream.cancel(run, call)).finally(disconnect);
      cancelling.catch((fault: unknown) => {
        runtime.log.warn(
          { error: fault, runKey },
          "A run that was being started on another server could not be cancelled there.",
        );
      });
    }
    throw error;
  }
}

/** Some servers send the run's id at once, others with its first event. */
async function identified(starting: Promise<UpstreamEvents>, { sessionId }: UpstreamStart): Promise<BegunUpstream> {
  const events = await starting;
  if (events.run) return { run: events.run, events };
  const iterator = events[Symbol.asyncIterator]();
  const first = await iterator.next();
  if (first.done) throw new UpstreamUnreachable("its stream ended before the run did");
  return { run: runIn(first.value, sessionId), events: following(first.value, iterator) };
}

/** Returns the run that an event belongs to. */
export function runIn({ data }: UpstreamEvent, sessionHere: string): UpstreamRun {
  const { run_id, session_id } = JSON.parse(data) as { readonly run_id?: unknown; readonly session_id?: unknown };
  if (typeof run_id !== "string") throw new UpstreamRefusal(422, "its first event names no run");
  return { runId: run_id, sessionId: typeof session_id === "string" ? session_id : sessionHere };
}

async function* following(
  first: UpstreamEvent,
  iterator: AsyncIterator<UpstreamEvent>,
): AsyncGenerator<UpstreamEvent, void> {
  try {
    yield first;
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value;
  } finally {
    await iterator.return?.();
  }
}
