/** Validates the learnings of an agent or a team. */
import { ConfigurationError } from "../errors.ts";
import { type Check, checkAll, flag, type Known, refuseUnknown } from "./checks.ts";

/** Learnings that users may share. */
export interface SharedLearning {
  /** `user` (default): each user has its own. Any other namespace, for instance `global`, is shared by all users of the components that name it. */
  readonly namespace?: string;
}

/** What an agent or a team learns. See docs/learnings.md. */
export interface LearningOptions {
  /** Fields about the user, such as the name. */
  readonly userProfile?: boolean;
  /** Observations about the user. */
  readonly userMemory?: boolean;
  /** Goal, plan, progress and summary of the session. */
  readonly sessionContext?: boolean;
  /** Facts about companies, projects and other things. */
  readonly entityMemory?: boolean | SharedLearning;
  /** Insights that are useful in later runs. */
  readonly learnedKnowledge?: boolean | SharedLearning;
  /** Decisions with their reasons. */
  readonly decisionLog?: boolean;
  /** Whether the model of a run stores learnings by tools. Default true. */
  readonly tools?: boolean;
  /** Max tokens of the learnings in the prompt, estimated as a quarter of their bytes. 0: none. Default 1,000. */
  readonly maxTokens?: number;
}

/** Names of the tools for learnings. */
export const learningTools = {
  userProfile: "update_user_profile",
  userMemory: "save_user_memory",
  sessionContext: "update_session_context",
  entityMemory: "save_entity",
  learnedKnowledge: "save_learning",
  decisionLog: "log_decision",
} as const;

const known: Known<LearningOptions> = {
  ...{ userProfile: true, userMemory: true, sessionContext: true, entityMemory: true },
  ...{ learnedKnowledge: true, decisionLog: true, tools: true, maxTokens: true },
};

const shared: Check = (value) => {
  if (typeof value === "boolean") return undefined;
  const namespace = typeof value === "object" && value !== null ? (value as SharedLearning).namespace : 0;
  if (namespace === undefined) return undefined;
  return typeof namespace === "string" && /^[\w.-]{1,100}$/.test(namespace)
    ? undefined
    : 'must be true or an object with a namespace of letters, digits, "_", "." and "-"';
};

const checks: Readonly<Record<string, Check>> = {
  ...{ userProfile: flag, userMemory: flag, sessionContext: flag, decisionLog: flag, tools: flag },
  ...{ entityMemory: shared, learnedKnowledge: shared },
  maxTokens: (value) =>
    Number.isInteger(value) && (value as number) >= 0 ? undefined : "must be a whole number, 0 or more",
};

/** Rejects invalid learnings, and a tool that has the name of a tool for learnings. The error names the component and the fix. */
export function checkLearning(
  title: string,
  { learning, tools }: { readonly learning?: unknown; readonly tools?: unknown },
): void {
  if (learning === undefined) return;
  if (typeof learning !== "boolean") {
    if (typeof learning !== "object" || learning === null)
      throw new ConfigurationError(`${title}: learning must be true or an object like { userProfile: true }.`);
    refuseUnknown(`${title}: learning`, learning, known);
    checkAll(`${title}: learning`, learning, checks);
  }
  if (!Array.isArray(tools)) return;
  const names = tools.map((tool) => (tool as { readonly name?: unknown } | null)?.name);
  const taken = names.find((name) => isLearningTool(learning, String(name)));
  if (taken)
    throw new ConfigurationError(`${title} has a tool named "${taken}", which is a tool for learnings: rename it.`);
}

/** The learnings of a component; undefined without any. `true` means profile and memories of the user. */
export function learningOf(learning: boolean | LearningOptions | undefined): LearningOptions | undefined {
  return learning === true ? { userProfile: true, userMemory: true } : learning || undefined;
}

/** Whether a component has a tool for learnings of this name. */
export function isLearningTool(learning: boolean | LearningOptions | undefined, name: string): boolean {
  const options = learningOf(learning);
  if (!options || options.tools === false) return false;
  return Object.entries(learningTools).some(
    ([kind, tool]) => tool === name && options[kind as keyof typeof learningTools],
  );
}
