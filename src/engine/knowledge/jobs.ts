/** The jobs that record which documents a completed run cites. */
import type { Hosted } from "../../define/platform.ts";
import { isRemote } from "../../define/remote.ts";
import { componentsWithin } from "../../define/within.ts";
import type { RunOutput } from "../../model/run/record.ts";
import type { NewJob } from "../../store/contract/jobs.ts";
import { citationJob } from "../../store/contract/knowledge.ts";

/** A cache: definitions never change. */
const known = new WeakMap<Hosted, boolean>();

/** The job of a run, in the flush that completes it; undefined if the run cites no document of a knowledge base. */
export function citationJobs(component: Hosted, output: RunOutput, runId: string): readonly NewJob[] | undefined {
  let hasKnowledge = known.get(component);
  if (hasKnowledge === undefined) {
    hasKnowledge = componentsWithin([component]).some(
      (one) => !isRemote(one) && one.kind !== "workflow" && one.knowledge !== undefined,
    );
    known.set(component, hasKnowledge);
  }
  if (!hasKnowledge) return undefined;
  const isCiting = output.citations?.documents?.some((one) => one.content_id !== undefined) ?? false;
  // The job reads what members and steps cite.
  return isCiting || component.kind !== "agent" ? [{ kind: citationJob, id: runId }] : undefined;
}
