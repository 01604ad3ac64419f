import { undecryptable } from "../../encryption/encryption.ts";
import type { SchedulesTable } from "../../rows/tables.ts";

/**
 * Whether a schedule is a user's: it is in the user's namespace, acts for the user, or starts runs of the user. A schedule that code defines is
 * the platform's.
 */
export function isScheduleOf(
  userId: string,
  row: Pick<SchedulesTable, "owner" | "standing_grant" | "payload" | "definition">,
): boolean {
  if (row.definition !== "") return false;
  if (row.owner === userId) return true;
  const grant = JSON.parse(row.standing_grant) as { readonly userId?: unknown };
  return grant.userId === userId || namedIn(row.payload) === userId;
}

/** The user that a payload names. A payload that cannot be read names none. */
function namedIn(text: string | null): unknown {
  if (text === null || text === undecryptable) return undefined;
  const payload: unknown = JSON.parse(text);
  return typeof payload === "object" && payload !== null && "user_id" in payload ? payload.user_id : undefined;
}
