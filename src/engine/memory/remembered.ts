/** What a run knows from earlier runs, and the tools by which it stores more: memories about its user, and learnings. */
import type { RunScope } from "../loops/contract.ts";
import type { Callable } from "../tool-call/callable.ts";
import { learningCallables, learningSection } from "./learnings.ts";
import { memorySection } from "./section.ts";
import { memoryCallables } from "./tools.ts";

/** The tools of a run; none unless its component has memory or learning. */
export function rememberingTools(scope: RunScope): readonly Callable[] {
  return [...memoryCallables(scope), ...learningCallables(scope)];
}

/** The sections of the system message; undefined if nothing is stored for the run. */
export async function rememberedSections(scope: RunScope): Promise<string | undefined> {
  const sections = await Promise.all([memorySection(scope), learningSection(scope)]);
  return sections.filter(Boolean).join("\n\n") || undefined;
}
