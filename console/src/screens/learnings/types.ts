/** The types of learnings, and what identifies one of each. */

/** A member of a learning's identity. */
export type IdentityField = "user_id" | "session_id" | "entity_type" | "entity_id" | "namespace";

interface LearningType {
  readonly name: string;
  /** What it is, for people. */
  readonly label: string;
  /** Needed for a new one; `namespace` may be empty. */
  readonly identity: readonly IdentityField[];
  /** The content that agents use, as an example. */
  readonly example: Readonly<Record<string, unknown>>;
}

export const learningTypes: readonly LearningType[] = [
  {
    name: "user_profile",
    label: "Profile of a user",
    identity: ["user_id"],
    example: { name: "Ada", preferred_name: "Ada" },
  },
  {
    name: "user_memory",
    label: "Memories of a user",
    identity: ["user_id"],
    example: { memories: [{ id: "1", content: "Prefers trains" }] },
  },
  {
    name: "session_context",
    label: "State of a session",
    identity: ["session_id"],
    example: { summary: "", goal: "", plan: [], progress: [] },
  },
  {
    name: "entity_memory",
    label: "Facts about an entity",
    identity: ["entity_type", "entity_id", "namespace"],
    example: { name: "", description: "", facts: [] },
  },
  {
    name: "learned_knowledge",
    label: "Knowledge",
    identity: [],
    example: { title: "", learning: "", context: "", tags: [] },
  },
  { name: "decision_log", label: "Decision", identity: [], example: { decision: "", reasoning: "", outcome: "" } },
];

export function labelOfType(name: string): string {
  return learningTypes.find((one) => one.name === name)?.label ?? name;
}

/** Members of a content that name it, the best one first. */
const naming = ["title", "name", "decision", "goal", "summary", "preferred_name", "learning"];

/** A line that names a content: one of its texts, or its JSON. */
export function titleOf(content: Readonly<Record<string, unknown>> | null | undefined): string {
  for (const name of naming) {
    const value = content?.[name];
    if (typeof value === "string" && value.trim() !== "") return value;
  }
  return content ? JSON.stringify(content) : "–";
}
