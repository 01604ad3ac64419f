/** Feedback in its wire form. */
import { z } from "zod";
import { ratings } from "../../model/trial.ts";
import type { ListedFeedback, StoredFeedback } from "../../runs/trials/feedback.ts";
import { named } from "../input/named-schemas.ts";

const feedback = z.object({
  run_id: z.string(),
  user_id: z.string().nullable().describe("Who gave it; null for a caller without a user."),
  rating: z.enum(ratings),
  note: z.string().nullable(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});

const listed = feedback.extend({
  session_id: z.string(),
  component_type: z.enum(["agent", "team", "workflow"]),
  component_id: z.string(),
});

/** One user's feedback about a run. */
export const feedbackRecord: z.ZodType = named("RunFeedback", feedback);

/** The feedback about a run. */
export const feedbackRecords: z.ZodType = z.array(feedbackRecord);

/** A page of the feedback about all runs. */
export const listedFeedback: z.ZodType = z.array(named("ListedRunFeedback", listed));

export function toFeedbackRecord(runId: string, one: StoredFeedback): Record<string, unknown> {
  return {
    ...{ run_id: runId, user_id: one.userId, rating: one.rating, note: one.note },
    created_at: new Date(one.createdAt).toISOString(),
    updated_at: new Date(one.updatedAt).toISOString(),
  } satisfies z.input<typeof feedback>;
}

export function toListedFeedback(one: ListedFeedback): Record<string, unknown> {
  const { runId, sessionId, kind, componentId } = one;
  return { ...toFeedbackRecord(runId, one), session_id: sessionId, component_type: kind, component_id: componentId };
}
