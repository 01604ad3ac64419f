/** The jobs that extract memories from a completed run. */

import type { Component, Hosted } from "../../define/platform.ts";
import { isRemote } from "../../define/remote.ts";
import { componentsWithin } from "../../define/within.ts";
import { memoryJob, memoryLane } from "../../model/memory.ts";
import type { NewJob } from "../../store/contract/jobs.ts";
import { memoryUserOf } from "./user.ts";

/** A cache: definitions never change. */
const known = new WeakMap<Hosted, boolean>();

/** Whether the component extracts memories from its own runs. */
export function extracts({ memory }: Pick<Component, "memory">): boolean {
  return memory !== undefined && memory.extract !== false;
}

/** The job of a run, in the flush that completes it; undefined if no component of the run extracts memories. */
export function memoryJobs(
  component: Hosted,
  user: Parameters<typeof memoryUserOf>[0],
  runId: string,
): readonly NewJob[] | undefined {
  let isExtracted = known.get(component);
  if (isExtracted === undefined) {
    isExtracted = componentsWithin([component]).some(
      (one) => one.kind !== "workflow" && !isRemote(one) && extracts(one),
    );
    known.set(component, isExtracted);
  }
  const userId = isExtracted ? memoryUserOf(user) : undefined;
  if (userId === undefined) return undefined;
  const lane = memoryLane(userId);
  return [{ kind: memoryJob, id: runId, lane, share: lane }];
}
