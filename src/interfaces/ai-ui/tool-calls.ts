/** The names of tool calls in a chat. */

/**
 * The id of a call in a chat. Ids of calls are unique within a run only, so the calls of members have the id of their run before them.
 */
export function chatCallId(rootRunId: string, runId: string | undefined, toolCallId: string): string {
  return runId === undefined || runId === rootRunId ? toolCallId : `${runId}/${toolCallId}`;
}
