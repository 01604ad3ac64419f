/** Tool calls that wait until the user connects an account. */
import type { OAuthNeed } from "../../model/connections.ts";
import type { ToolCall } from "../../model/run/message.ts";
import type { ConnectionRequirement } from "../../model/run/record.ts";
import type { RunScope } from "../loops/contract.ts";
import { answerTo, type CallAnswer, callAnswerName, requirementOf, type Wait } from "../pause/waiting-calls.ts";
import type { Callable } from "../tool-call/callable.ts";
import { type Connections, connectedUser, NotConnected } from "./connections.ts";

function timesAsked(scope: RunScope, { id }: Pick<ToolCall, "id">): number {
  let times = 0;
  while (scope.mark(`connect:${id}/${times}`) !== undefined) times++;
  return times;
}

function nameOf({ id }: Pick<ToolCall, "id">, times: number): string {
  return `${callAnswerName(id)}/connect/${times}`;
}

/** The answer that rejects a call: instead of a confirmation, or instead of a connection. */
export function rejectionOf(scope: RunScope, call: Pick<ToolCall, "id">): CallAnswer | undefined {
  const answer = answerTo(scope, call);
  if (answer?.confirmed === false) return answer;
  const times = timesAsked(scope, call);
  const last = times === 0 ? undefined : (scope.mark(nameOf(call, times - 1)) as CallAnswer | undefined);
  if (last?.confirmed !== false) return undefined;
  // Clients send the text of the question back; a reason is another text.
  return last.note === scope.mark(`connect:${call.id}/${times - 1}`) ? { ...last, note: undefined } : last;
}

/** Returns the waits of the calls whose users have not connected the account that the tool needs, by call id. */
export async function connectionWaits(
  scope: RunScope,
  callables: ReadonlyMap<string, Callable>,
  calls: readonly ToolCall[],
): Promise<ReadonlyMap<string, Wait>> {
  const waits = new Map<string, Wait>();
  for (const call of calls) {
    const need = callables.get(call.name)?.oauth;
    if (!need || !scope.connections?.provider(need.provider) || rejectionOf(scope, call)) continue;
    const userId = connectedUser(scope.context);
    // A run without a user: the call fails with that reason.
    if (userId === undefined || (await isConnected(scope.connections, need, userId))) continue;
    waits.set(call.id, waitFor(scope, scope.connections, need, call));
  }
  return waits;
}

/** Also refreshes the token: a connection whose refresh is rejected is none. */
async function isConnected(connections: Connections, need: OAuthNeed, userId: string): Promise<boolean> {
  try {
    await connections.accessToken(need, userId);
    return true;
  } catch (error) {
    // Another failure is temporary: it is the error of the call.
    return !(error instanceof NotConnected);
  }
}

function waitFor(scope: RunScope, connections: Connections, need: OAuthNeed, call: ToolCall): Wait {
  const { provider } = need;
  const times = timesAsked(scope, call);
  const asked = requirementOf(scope, call, { requires_confirmation: true });
  const query = new URLSearchParams({ run_id: scope.context.rootRunId, requirement_id: asked.id });
  const url = `${connections.options.url}/connections/${provider}/authorize?${query}`;
  const connection: ConnectionRequirement = { provider, scopes: connections.scopesOf(need), url };
  const text = `${call.name} needs your ${connections.titleOf(provider)} account. Connect it: ${url}`;
  scope.setMark(`connect:${call.id}/${times}`, text);
  const requirement = { ...asked, tool_execution: { ...asked.tool_execution, confirmation_note: text }, connection };
  return { requirement, answerName: nameOf(call, times), text };
}
