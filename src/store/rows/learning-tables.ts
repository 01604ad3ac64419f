/** The table of learnings. Times are milliseconds since the epoch. */

/** Something that agents have learned. */
export interface LearningsTable {
  /** Unique within its owner. */
  learning_id: string;
  /** The user id; empty for a learning without a user. */
  owner: string;
  learning_type: string;
  namespace: string | null;
  agent_id: string | null;
  team_id: string | null;
  session_id: string | null;
  entity_id: string | null;
  entity_type: string | null;
  /** JSON object. */
  content: string;
  /** JSON object. */
  metadata: string | null;
  created_at: number;
  updated_at: number;
}
