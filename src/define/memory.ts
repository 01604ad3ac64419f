/** Validates the memory of an agent or a team. */
import type { LanguageModelV3, LanguageModelV4 } from "@ai-sdk/provider";
import { ConfigurationError } from "../errors.ts";
import { type Check, checkAll, flag, type Known, refuseUnknown } from "./checks.ts";

/**
 * What an agent or a team remembers about its users across sessions. Memories belong to the user of a run: components share them, and runs without a
 * user have none. See docs/memory.md.
 */
export interface MemoryOptions {
  /** Whether a model extracts facts from each completed run, in the background. Default true. */
  readonly extract?: boolean;
  /** The model that extracts facts and merges memories. Default: the component's model. */
  readonly model?: LanguageModelV4 | LanguageModelV3 | string;
  /** Rules for the extraction, in addition to the built-in ones: `Remember dietary restrictions. Never remember prices.` */
  readonly instructions?: string;
  /** Whether the model of a run can add, change, delete and search memories by tools. Default false. */
  readonly tools?: boolean;
  /** Max tokens of the memories in the prompt, estimated as a quarter of their bytes. 0: none. Default 1,000. */
  readonly maxTokens?: number;
}

/** Names of the tools for memories. */
export const memoryTools = {
  add: "add_memory",
  update: "update_memory",
  delete: "delete_memory",
  search: "search_memories",
} as const;

/** Whether a component has a tool for memories of this name. */
export function isMemoryTool(memory: MemoryOptions | undefined, name: string): boolean {
  return memory?.tools === true && Object.values<string>(memoryTools).includes(name);
}

const known: Known<MemoryOptions> = { extract: true, model: true, instructions: true, tools: true, maxTokens: true };

const checks: Readonly<Record<string, Check>> = {
  extract: flag,
  tools: flag,
  instructions: (value) =>
    typeof value === "string" && value.trim() !== "" ? undefined : "must be a text that is not empty",
  maxTokens: (value) =>
    Number.isInteger(value) && (value as number) >= 0 ? undefined : "must be a whole number, 0 or more",
};

/** Rejects an invalid memory, and a tool that has the name of a tool for memories. The error names the component and the fix. */
export function checkMemory(
  title: string,
  { memory, tools }: { readonly memory?: unknown; readonly tools?: unknown },
): void {
  if (memory === undefined) return;
  if (typeof memory !== "object" || memory === null || Array.isArray(memory))
    throw new ConfigurationError(`${title}: memory must be an object, for instance {} or { tools: true }.`);
  refuseUnknown(`${title}: memory`, memory, known);
  checkAll(`${title}: memory`, memory, checks);
  if (!(memory as MemoryOptions).tools || !Array.isArray(tools)) return;
  const names = tools.map((tool) => (tool as { readonly name?: unknown } | null)?.name);
  const taken = Object.values(memoryTools).find((name) => names.includes(name));
  if (taken)
    throw new ConfigurationError(`${title} has a tool named "${taken}", which is a tool for memories: rename it.`);
}
