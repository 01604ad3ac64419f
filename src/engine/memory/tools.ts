/** The tools by which the model of a run reads and changes memories about the user. */
import { hash } from "node:crypto";
import { z } from "zod";
import { shownShape } from "../../define/json-shape.ts";
import { memoryTools as names } from "../../define/memory.ts";
import type { Memory, MemorySource } from "../../model/memory.ts";
import type { MemoryChange } from "../../store/contract/memories.ts";
import type { RunScope } from "../loops/contract.ts";
import { type Callable, errorAnswer, type ToolResult } from "../tool-call/callable.ts";
import { rankMemories } from "./ranking.ts";
import { memoryUserOf } from "./user.ts";

/** Limits of what a model stores: shorter than what a request may store, because all of it is in later prompts. */
export const modelLimits = { memory: 1_000, topics: 5, topic: 100 } as const;

/** Memories that a search returns, and among which it selects. */
const found = { most: 20, among: 1_000, bytes: 512 * 1024 };

const memory = z
  .string()
  .min(1)
  .max(modelLimits.memory)
  .describe("One fact about the user that stays useful in later conversations, as a sentence in the third person.");
const topics = z.array(z.string().min(1).max(modelLimits.topic)).max(modelLimits.topics);
const id = z.string().min(1).describe("The id of the memory, as in the list of memories or in a search result.");

interface Definition<Input extends z.ZodType = z.ZodType> {
  readonly name: string;
  readonly description: string;
  readonly input: Input;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

function defined<Input extends z.ZodType>(name: string, description: string, input: Input): Definition<Input> {
  return { name, description, input, inputSchema: shownShape(input) };
}

const add = defined(
  names.add,
  "Remembers a fact about the user for later conversations.",
  z.object({ memory, topics: topics.optional().describe("Topics of the fact, in one or two words each.") }),
);
const update = defined(
  names.update,
  "Changes a memory about the user that is no longer right.",
  z.object({ id, memory, topics: topics.optional().describe("New topics. Default: the topics stay.") }),
);
const remove = defined(names.delete, "Forgets a memory about the user.", z.object({ id }));
const search = defined(
  names.search,
  "Searches the memories about the user. The most fitting ones come first.",
  z.object({ query: z.string().describe("Words of the memory.") }),
);

/** The tools of a run; none unless its component has them. */
export function memoryCallables(scope: RunScope): readonly Callable[] {
  if (!scope.component.memory?.tools) return [];
  const { toolTimeout: timeout } = scope.settings;
  const shared = { timeout, stopAfterCall: false, ifInterrupted: "again" } as const;
  const withUser = (work: (userId: string, input: never, key: string) => Promise<ToolResult>): Callable["run"] => {
    return async (input, { idempotencyKey }) => {
      const userId = memoryUserOf(scope.context);
      if (userId === undefined) return errorAnswer("The run has no user, so nothing can be remembered.");
      return await work(userId, input as never, idempotencyKey);
    };
  };
  return [
    {
      ...{ ...add, ...shared },
      run: withUser(async (userId, { memory, topics = [] }: z.output<typeof add.input>, key) => {
        const change = { kind: "add", id: idFor(key), memory, topics, ...sourceOf(scope) } as const;
        const made = await changed(scope, userId, change);
        return made ? answer(shown(made)) : errorAnswer("There is no room for more memories: delete or update some.");
      }),
    },
    {
      ...{ ...update, ...shared },
      run: withUser(async (userId, { id, memory, topics }: z.output<typeof update.input>) => {
        const change = { kind: "update", id, memory, topics, source: sourceOf(scope) } as const;
        const made = await changed(scope, userId, change);
        return made ? answer(shown(made)) : errorAnswer(`There is no memory with the id ${JSON.stringify(id)}.`);
      }),
    },
    {
      ...{ ...remove, ...shared },
      run: withUser(async (userId, { id }: z.output<typeof remove.input>) => {
        await changed(scope, userId, { kind: "delete", id });
        return answer({ deleted: id });
      }),
    },
    {
      ...{ ...search, ...shared },
      run: withUser(async (userId, { query }: z.output<typeof search.input>) => {
        const all = await scope.memories.latest(userId, found.among, found.bytes);
        return answer(rankMemories(all, query).slice(0, found.most).map(shown));
      }),
    },
  ];
}

/** Stores a change, and reports it in the log. Returns the memory as it is now; undefined if it was not stored. */
async function changed(scope: RunScope, userId: string, change: MemoryChange): Promise<Memory | undefined> {
  scope.emit("MemoryUpdateStarted");
  const { memories = [] } = (await scope.memories.change(userId, [change])) ?? {};
  scope.emit("MemoryUpdateCompleted", { memories: memories.map(toField) });
  return memories[0];
}

function answer(value: unknown): ToolResult {
  return { text: JSON.stringify(value), isError: false };
}

function shown({ id, memory, topics }: Memory): object {
  return { id, memory, topics };
}

/** A memory as events show it. Times in seconds, as in all events. */
function toField(one: Memory): Readonly<Record<string, unknown>> {
  return {
    ...{ memory_id: one.id, memory: one.memory, topics: one.topics, user_id: one.userId },
    ...{ agent_id: one.agentId, team_id: one.teamId, updated_at: Math.floor(one.updatedAt / 1_000) },
  };
}

function sourceOf({ component, context }: RunScope): MemorySource {
  return {
    origin: "tool",
    agentId: component.kind === "agent" ? component.id : null,
    teamId: component.kind === "team" ? component.id : null,
    runId: context.rootRunId,
    sessionId: context.session.id,
  };
}

/** The id of the memory that a call adds: a repeated call adds no second one. */
function idFor(idempotencyKey: string): string {
  const digits = hash("sha256", idempotencyKey, "hex");
  return digits.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
