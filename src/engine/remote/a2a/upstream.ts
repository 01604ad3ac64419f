/**
 * Another server that offers an agent, a team or a workflow by A2A, of either version, over JSON-RPC. Its task's events become events of a run
 * here, and its artifacts the answer.
 */
import type { Remote } from "../../../define/remote.ts";
import type { Upstream, UpstreamCall, UpstreamEvent, UpstreamParts, UpstreamQuestion } from "../upstream.ts";
import { UpstreamRefusal } from "../upstream-errors.ts";
import { A2aCalls, isStream, wholeResult } from "./calls.ts";
import { type Following, follow } from "./follow-task.ts";
import { type Endpoint, endpointIn, type RemoteTask, taskIn, toAnswerParams, toMessageParams } from "./parser.ts";
import { TaskTranslator } from "./task-translator.ts";

/** Returns the server behind an agent that speaks A2A. */
export function a2aUpstream(remote: Remote, parts: UpstreamParts): Upstream {
  const { clock } = parts.runtime;
  const calls = new A2aCalls(remote, parts);
  const endpointFor = async (call: UpstreamCall): Promise<Endpoint> =>
    endpointIn(await calls.card(call), remote.target.url);

  return {
    async start(start, call) {
      const endpoint = await endpointFor(call);
      const operation = endpoint.streams ? "stream" : "send";
      const answer = await calls.ask(endpoint, operation, toMessageParams(start, endpoint.version), call, start);
      const following = {
        calls,
        clock,
        endpoint,
        call,
        translator: new TaskTranslator(clock.now(), undefined, remote.kind),
      };
      // An error replaces the stream and arrives before the run is accepted here.
      return isStream(answer) ? follow(following, answer) : yieldAndFollow(following, await wholeResult(answer));
    },
    async resume(run, _cursor, call, emittedText) {
      const translator = new TaskTranslator(clock.now(), { run, emittedText: await emittedText() }, remote.kind);
      return follow({ calls, clock, endpoint: await endpointFor(call), call, translator });
    },
    async answer(run, answer, call, emittedText) {
      const endpoint = await endpointFor(call);
      const translator = new TaskTranslator(clock.now(), { run, emittedText: await emittedText() }, remote.kind);
      const following = { calls, clock, endpoint, call, translator };
      const task = taskIn(await calls.result(endpoint, "get", { id: run.runId }, call));
      // The task has continued or asks another question, so it received the answer in an earlier attempt.
      if (!task?.question || !isSame(task.question, answer.question)) return follow(following);
      translator.loadTask(task);
      try {
        const message = toAnswerParams(answer, run, endpoint.version);
        const response = await calls.ask(endpoint, endpoint.streams ? "stream" : "send", message, call, answer);
        return isStream(response)
          ? follow(following, response)
          : yieldAndFollow(following, await wholeResult(response));
      } catch (error) {
        if (!isUnfit(error)) throw error;
        const { question, ...rest } = task;
        return askAgain(translator, {
          ...rest,
          question: { ...question, text: `${question.text}\n(${error.message})` },
        });
      }
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

/** A server whose questions have no ids identifies them by their texts. */
function isSame(one: UpstreamQuestion, other: UpstreamQuestion): boolean {
  return one.id === other.id && (one.id !== null || one.text === other.text);
}

/** Whether the server rejected the answer or its sender, so that the question is asked again. */
function isUnfit(error: unknown): error is UpstreamRefusal {
  return error instanceof UpstreamRefusal && [400, 401, 403, 413, 422].includes(error.status);
}

async function* askAgain(translator: TaskTranslator, task: RemoteTask): AsyncGenerator<UpstreamEvent> {
  yield* translator.end(task);
}

/** Yields the events of a task that arrived as a whole answer, then follows it. */
async function* yieldAndFollow(following: Following, whole: unknown): AsyncGenerator<UpstreamEvent> {
  const { translator } = following;
  const task = taskIn(whole);
  if (!task) throw new UpstreamRefusal(422, "it answered with no task");
  yield* translator.take(task);
  translator.markGap();
  if (!translator.isOver) yield* follow(following);
}
