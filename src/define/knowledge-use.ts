/** Validates the knowledge of an agent or a team. */
import { ConfigurationError } from "../errors.ts";
import { readMetadataFilters } from "../model/metadata-filters.ts";
import { type Check, checkAll, type Known, oneOf, refuseOthers, refuseUnknown } from "./checks.ts";
import type { Knowledge } from "./knowledge.ts";

/** A value that a filter compares with a member of a document's metadata: a value, one of several values, or bounds of a number. */
export type KnowledgeFilter =
  | string
  | number
  | boolean
  | null
  | readonly (string | number | boolean)[]
  | { readonly gt?: number; readonly gte?: number; readonly lt?: number; readonly lte?: number };

/** How an agent or a team uses knowledge bases. */
export interface KnowledgeUse {
  /** The knowledge bases that are searched, together. */
  readonly bases: readonly Knowledge[];
  /**
   * `tool` (default): the model searches with the tool `search_knowledge_base`. `always`: the run searches with the user's message before its first model
   * request, and the prompt contains what it found.
   */
  readonly mode?: "tool" | "always";
  /** Only documents whose metadata match are found: `{ product: "x100", year: { gte: 2024 } }`. Default: all documents. */
  readonly filters?: Readonly<Record<string, KnowledgeFilter>>;
  /** Members of the metadata by which the model may narrow a search of the tool. Default: none. */
  readonly modelFilters?: readonly string[];
  /** Max tokens of a search's result in the prompt, estimated as a quarter of its bytes. Default 3,000. */
  readonly maxTokens?: number;
}

/** Name of the tool that searches. */
export const searchTool = "search_knowledge_base";

/** The knowledge of a component with its defaults; undefined for a component without knowledge. */
export function knowledgeUseOf({
  knowledge,
}: {
  readonly knowledge?: readonly Knowledge[] | KnowledgeUse;
}): Required<KnowledgeUse> | undefined {
  if (knowledge === undefined) return undefined;
  const { bases, mode = "tool", filters = {}, modelFilters = [], maxTokens = 3_000 } = toUse(knowledge);
  return bases.length === 0 ? undefined : { bases, mode, filters, modelFilters, maxTokens };
}

function toUse(knowledge: readonly Knowledge[] | KnowledgeUse): KnowledgeUse {
  return "bases" in knowledge ? knowledge : { bases: knowledge };
}

/** Whether a component has the tool that searches. */
export function hasSearchTool(component: { readonly knowledge?: readonly Knowledge[] | KnowledgeUse }): boolean {
  return knowledgeUseOf(component)?.mode === "tool";
}

const known: Known<KnowledgeUse> = { bases: true, mode: true, filters: true, modelFilters: true, maxTokens: true };

const checks: Readonly<Record<string, Check>> = {
  mode: oneOf(["tool", "always"]),
  filters: (value) =>
    !Array.isArray(value) && readMetadataFilters(value)
      ? undefined
      : 'must be an object of values, lists of values, or bounds, for instance { product: "x100", year: { gte: 2024 } }',
  modelFilters: (value) =>
    Array.isArray(value) && value.every((name) => typeof name === "string" && name !== "")
      ? undefined
      : 'must be a list of names, for instance ["product"]',
  maxTokens: (value) =>
    Number.isInteger(value) && (value as number) >= 100 ? undefined : "must be a whole number, 100 or more",
};

/** Rejects invalid knowledge, and a tool that has the name of the tool that searches. The error names the component and the fix. */
export function checkKnowledge(
  title: string,
  { knowledge, tools }: { readonly knowledge?: unknown; readonly tools?: unknown },
): void {
  if (knowledge === undefined) return;
  const isObject = typeof knowledge === "object" && knowledge !== null && "bases" in knowledge;
  if (!Array.isArray(knowledge) && !isObject)
    throw new ConfigurationError(
      `${title}: knowledge must be a list of knowledge bases, or an object, for instance [docs] or { bases: [docs] }.`,
    );
  const use = toUse(knowledge as readonly Knowledge[] | KnowledgeUse);
  refuseOthers(title, "knowledge", use.bases, { knowledge: "defineKnowledge" });
  const ids = use.bases.map(({ id }) => id);
  const twin = ids.find((id, place) => ids.indexOf(id) !== place);
  if (twin !== undefined) throw new ConfigurationError(`${title} has the knowledge base "${twin}" twice: remove one.`);
  if (isObject) {
    refuseUnknown(`${title}: knowledge`, use, known);
    checkAll(`${title}: knowledge`, use, checks);
  }
  if (!hasSearchTool({ knowledge: use }) || !Array.isArray(tools)) return;
  if (tools.some((tool) => (tool as { readonly name?: unknown } | null)?.name === searchTool))
    throw new ConfigurationError(
      `${title} has a tool named "${searchTool}", which is the tool that searches its knowledge: rename it.`,
    );
}
