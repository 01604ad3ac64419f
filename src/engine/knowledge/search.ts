/** Searches the knowledge bases of a component for a run. */
import { type KnowledgeUse, knowledgeUseOf } from "../../define/knowledge-use.ts";
import { TroupeError } from "../../errors.ts";
import type { SearchUsage } from "../../knowledge/reranker.ts";
import { abortable } from "../../model/abortable.ts";
import { type MetadataFilter, readMetadataFilters } from "../../model/metadata-filters.ts";
import type { RunScope } from "../loops/contract.ts";
import { type Hit, numberHits, type Source, scoreOf } from "./sources.ts";
import { recordUsage } from "./usage.ts";

/** Hits of a knowledge base. The budget of tokens selects among them. */
const maxHits = 20;

/** A search by a run. */
export interface RunSearch {
  readonly query: string;
  /** Filters of the model, in addition to the filters of the definition and of the request. */
  readonly filters?: unknown;
}

/** Returns the best parts of documents that the run's user may see, numbered. @throws the error of a provider or the database */
export async function findSources(
  scope: RunScope,
  use: Required<KnowledgeUse>,
  { query, filters }: RunSearch,
  signal: AbortSignal,
): Promise<readonly Source[]> {
  const { knowledgeFilters } = scope.options;
  const all = [use.filters, knowledgeFilters, filters].flatMap((given) => (given == null ? [] : filtersOf(given)));
  const { principal, userId } = scope.context;
  const reader = { userId: principal.owner ?? userId ?? "" };
  const found = await Promise.all(
    use.bases.map(async ({ id: knowledgeId }): Promise<readonly Hit[]> => {
      const search = { knowledgeId, reader, filters: all, text: query, limit: maxHits };
      const onUsage = (usage: SearchUsage): Promise<void> => recordUsage(scope, usage);
      const searching = scope
        .searchKnowledge(search, signal, onUsage)
        .catch((error: unknown) => throwShown(scope, error));
      const chunks = await abortable(searching, signal);
      return chunks.map((chunk) => ({ knowledgeId, chunk }));
    }),
  );
  const hits = found.flat().sort((one, other) => scoreOf(other.chunk) - scoreOf(one.chunk));
  return numberHits(scope, hits, use.maxTokens);
}

/** Throws an error whose text the model and clients may see. The text of a database error has names of tables, so the log has it. */
function throwShown({ runtime, context }: RunScope, error: unknown): never {
  const { code } = Object(error) as { readonly code?: unknown };
  if (error instanceof TroupeError || typeof code !== "string") throw error;
  runtime.log.error({ error, runId: context.runId, component: context.componentId }, "A search for documents failed.");
  throw new Error("The search for documents failed. The server's log has the details.");
}

function filtersOf(given: unknown): readonly MetadataFilter[] {
  const filters = readMetadataFilters(given);
  if (!filters)
    throw new Error(
      "A filter must be a text, a number, a boolean, null, a list of these, or bounds such as { gte: 1 }.",
    );
  return filters;
}

/** The knowledge of a run's component, if it is used in a mode. */
export function useIn(mode: "tool" | "always", { component }: RunScope): Required<KnowledgeUse> | undefined {
  const use = knowledgeUseOf(component);
  return use?.mode === mode ? use : undefined;
}
