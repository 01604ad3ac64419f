/** Sends decisions: answers to runs, and resolutions of approvals. Each row of a decision has its own outcome. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, dataOf, runs } from "../../api/client.ts";
import type { ComponentKind } from "../../api/component-kinds.ts";
import { ApiError, toShownError } from "../../api/errors.ts";
import { type Answer, enteredValues, type Question, sendAnswers } from "../../components/questions.ts";
import { useMay } from "../../session/me.ts";
import { type Approval, type RunSummary, rootOf, runOf, toWaitingRun } from "./queries.ts";

/** What became of a row. */
export interface Outcome {
  readonly key: string;
  readonly name: string;
  /** `conflict`: another caller was first. */
  readonly state: "done" | "conflict" | "failed";
  readonly message: string;
}

export interface Decision {
  readonly key: string;
  readonly name: string;
  /** Resolves with a sentence about the result. */
  readonly send: () => Promise<string>;
}

/** Milliseconds after which the lists are read again. */
const nextQuestionDelays = [1_000, 4_000];

/** Sends decisions one after the other; a failed one does not stop the others. */
export function useDecisions(onDone: (outcomes: readonly Outcome[]) => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (decisions: readonly Decision[]) => {
      const outcomes: Outcome[] = [];
      for (const decision of decisions) outcomes.push(await outcomeOf(decision));
      return outcomes;
    },
    onSuccess: async (outcomes) => {
      onDone(outcomes);
      const refresh = () =>
        Promise.all(
          [["waiting"], ["waiting-count"], ["approvals"]].map((queryKey) => queries.invalidateQueries({ queryKey })),
        );
      await refresh();
      // A run that continues may soon ask its next question.
      for (const delay of nextQuestionDelays) setTimeout(() => void refresh(), delay);
    },
  });
}

async function outcomeOf({ key, name, send }: Decision): Promise<Outcome> {
  try {
    return { key, name, state: "done", message: await send() };
  } catch (error) {
    const { message, advice, requestId } = toShownError(error);
    if ((error as { status?: unknown }).status === 409)
      return { key, name, state: "conflict", message: `Another caller was first: ${message}` };
    const id = requestId === undefined ? "" : ` Request id: ${requestId}.`;
    return { key, name, state: "failed", message: `${message} ${advice}${id}` };
  }
}

/** A decision that answers all questions of a run. */
export function answerRun(run: RunSummary, given: readonly (readonly [Question, Answer])[], name: string): Decision {
  return {
    key: run.run_id,
    name,
    async send() {
      await sendAnswers(runs, toWaitingRun(run), given);
      return given.some(([, { confirmed }]) => confirmed === false) ? "Rejected." : "Answered; the run continues.";
    },
  };
}

/** Returns a function that makes the decision about an approval. With the right to run the component, the run continues at once. */
export function useResolve(): (approval: Approval, question: Question | undefined, answer: Answer) => Decision {
  const mayContinue = useMayContinue();
  return (approval, question, answer) => ({
    key: approval.id,
    name: nameOf(approval),
    async send() {
      const values = question && answer.confirmed ? enteredValues(question, answer) : undefined;
      const data = {
        ...(values && { values }),
        ...(answer.result && answer.confirmed && { result: answer.result }),
        ...(answer.note && { note: answer.note }),
      };
      const status = answer.confirmed ? ("approved" as const) : ("rejected" as const);
      const body = { status, ...(Object.keys(data).length > 0 && { resolution_data: data }) };
      const path = { approval_id: approval.id };
      await dataOf(api.POST("/approvals/{approval_id}/resolve", { params: { path }, body })).catch(
        async (error: unknown) => {
          throw (await conflictOf(error, approval.id)) ?? error;
        },
      );
      const done = answer.confirmed ? "Approved" : "Rejected";
      const root = rootOf(approval);
      if (!mayContinue(root.kind, root.id)) return `${done}. A caller who may run ${root.id} continues the run.`;
      try {
        await sendAnswers(runs, runOf(approval), []);
        return `${done}; the run continues.`;
      } catch (error) {
        return `${done}. The run does not continue yet: ${toShownError(error).message}`;
      }
    },
  });
}

/** Continues the run of an approval that another caller has resolved. */
export function continueRun(approval: Approval): Decision {
  return {
    key: approval.id,
    name: nameOf(approval),
    async send() {
      await sendAnswers(runs, runOf(approval), []);
      return "The run continues.";
    },
  };
}

/** An error that says who resolved the approval, and how. */
async function conflictOf(error: unknown, id: string): Promise<ApiError | undefined> {
  if (!(error instanceof ApiError) || error.status !== 409) return undefined;
  const { status, resolved_by: by } = await dataOf(
    api.GET("/approvals/{approval_id}", { params: { path: { approval_id: id } } }),
  );
  const who = by ? ` by ${by}` : "";
  return new ApiError(`it is already ${status}${who}.`, { status: 409, requestId: error.requestId });
}

/** Whether the caller may continue runs of a component. */
export function useMayContinue(): (kind: ComponentKind, componentId: string) => boolean {
  const may = useMay();
  return (kind, componentId) => may(`POST /${kind}s/{${kind}_id}/runs/{run_id}/continue`, componentId);
}

/** What an approval is about, in a few words. */
export function nameOf(approval: Approval): string {
  return approval.tool_name ?? approval.source_name ?? approval.id;
}
