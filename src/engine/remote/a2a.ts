/**
 * Another server that offers an agent by A2A, of either version, over JSON-RPC. A task there is told as events of a run here: what it makes is the
 * answer.
 */
import type { Remote } from "../../define/remote.ts";
import { A2aCalls, isStream, wholeResult } from "./a2a-calls.ts";
import { TaskEvents } from "./a2a-events.ts";
import { type Following, follow } from "./a2a-following.ts";
import { type Endpoint, endpointIn, taskIn, toMessage } from "./a2a-words.ts";
import type { Upstream, UpstreamCall, UpstreamEvent, UpstreamParts } from "./upstream.ts";
import { UpstreamRefusal } from "./upstream-errors.ts";

/** The server behind an agent that speaks A2A. */
export function a2aUpstream(remote: Remote, parts: UpstreamParts): Upstream {
  const { clock } = parts.runtime;
  const calls = new A2aCalls(remote, parts);
  const endpointFor = async (call: UpstreamCall): Promise<Endpoint> =>
    endpointIn(await calls.card(call), remote.target.url);

  return {
    async start(start, call) {
      const endpoint = await endpointFor(call);
      const operation = endpoint.streams ? "stream" : "send";
      const answer = await calls.ask(endpoint, operation, toMessage(start, endpoint.version), call);
      const following = { calls, clock, endpoint, call, telling: new TaskEvents(clock.now()) };
      // A refusal comes instead of a stream, and before the run is accepted here.
      return isStream(answer) ? follow(following, answer) : told(following, await wholeResult(answer));
    },
    async resume(run, _cursor, call, textHere) {
      const telling = new TaskEvents(clock.now(), { run, told: await textHere() });
      return follow({ calls, clock, endpoint: await endpointFor(call), call, telling });
    },
    async cancel({ runId }, call) {
      await calls.result(await endpointFor(call), "cancel", { id: runId }, call);
    },
    async describe(call) {
      const { name, description } = await calls.card(call);
      return { id: remote.id, name, description };
    },
  };
}

/** A task that came as an answer, and what becomes of it. */
async function* told(following: Following, whole: unknown): AsyncGenerator<UpstreamEvent> {
  const { telling } = following;
  const task = taskIn(whole);
  if (!task) throw new UpstreamRefusal(422, "it answered with no task");
  yield* telling.take(task);
  telling.missed();
  if (!telling.isOver) yield* follow(following);
}
