/**
 * Another server's question as a pause of the run here: a call that waits for a person's answer. The answer is sent there when the run is
 * continued.
 */
import type { Hosted } from "../../define/platform.ts";
import { RunPaused, type RunScope } from "../loops/contract.ts";
import { type CallAnswer, callAnswerName, pauseFor, requirementOf } from "../pause/waiting-calls.ts";
import type { UpstreamAnswer, UpstreamQuestion } from "./upstream.ts";

/** Name of the call that represents a question, and of the field for the answer. */
const callName = "input_required";
const field = "answer";

/** The record of a question that was asked. */
interface AskedQuestion {
  readonly callId: string;
  readonly question: UpstreamQuestion;
}

const askedName = (place: number): string => `remote:question/${place}`;
const sentName = (place: number): string => `remote:answered/${place}`;

type Scope = Pick<RunScope<Hosted>, "runKey" | "runtime" | "context" | "mark" | "setMark">;

/** Returns the pause that asks a question. */
export function pauseOn(scope: Scope, question: UpstreamQuestion): RunPaused {
  const place = questionsOf(scope);
  const callId = `${scope.context.runId}/question/${place}`;
  scope.setMark(askedName(place), { callId, question } satisfies AskedQuestion);
  const { text, data } = question;
  const call = { id: callId, name: callName, input: { question: text, ...(data.length > 0 && { data }) } };
  const schema = [{ name: field, field_type: "str", description: text, value: null }];
  const requirement = requirementOf(scope, call, { requires_user_input: true, user_input_schema: schema });
  const pause = pauseFor(scope, [{ requirement, answerName: callAnswerName(callId) }]);
  return new RunPaused({ ...pause, text: text || "The agent needs an answer to continue." });
}

/** Returns the answer that has not been sent yet, and a function that records that it was sent. */
export function unsentAnswer(scope: Scope): { readonly answer: UpstreamAnswer; readonly sent: () => void } | undefined {
  const place = questionsOf(scope) - 1;
  if (place < 0 || scope.mark(sentName(place)) !== undefined) return undefined;
  const { callId, question } = scope.mark(askedName(place)) as AskedQuestion;
  const given = scope.mark(callAnswerName(callId)) as CallAnswer | undefined;
  const value = given?.values?.[field];
  if (value === undefined) return undefined;
  return { answer: { question, value, key: callId }, sent: () => scope.setMark(sentName(place), true) };
}

function questionsOf(scope: Scope): number {
  let count = 0;
  while (scope.mark(askedName(count)) !== undefined) count++;
  return count;
}
