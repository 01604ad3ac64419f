/** The tool by which the model of a run searches knowledge bases. */
import { z } from "zod";
import { shownShape } from "../../define/json-shape.ts";
import { type KnowledgeUse, searchTool } from "../../define/knowledge-use.ts";
import type { RunScope } from "../loops/contract.ts";
import type { Callable } from "../tool-call/callable.ts";
import { findSources, type RunSearch, useIn } from "./search.ts";
import { toResult } from "./sources.ts";

const query = z.string().min(1).max(4_000).describe("The words and names of the question, without filler words.");

/** The tool of a run; none unless its component searches by a tool. */
export function knowledgeCallables(scope: RunScope): readonly Callable[] {
  const use = useIn("tool", scope);
  if (!use) return [];
  const input = inputOf(use);
  return [
    {
      name: searchTool,
      description: descriptionOf(use),
      ...{ input, inputSchema: shownShape(input) },
      ...{ timeout: scope.settings.toolTimeout, stopAfterCall: false, ifInterrupted: "again" },
      async run(given, { signal }) {
        const sources = await findSources(scope, use, given as RunSearch, signal);
        return { text: toResult(sources), isError: false };
      },
    },
  ];
}

function inputOf({ modelFilters }: Required<KnowledgeUse>): z.ZodType {
  if (modelFilters.length === 0) return z.object({ query });
  const value = z.union([z.string(), z.number(), z.boolean()]);
  const members = Object.fromEntries(modelFilters.map((name) => [name, value.optional()]));
  const filters = z.strictObject(members).describe("Only documents with these values are searched.");
  return z.object({ query, filters: filters.optional() });
}

function descriptionOf({ bases }: Required<KnowledgeUse>): string {
  const about = bases.map(({ name, description }) => `- ${name}${description ? `: ${description}` : ""}`);
  return (
    "Searches documents for what the answer needs. Search again with other words if the results do not fit. Each result has a number, its source: cite the " +
    `results that you use by this number in square brackets, like [1], after the sentence.\nDocuments:\n${about.join("\n")}`
  );
}
