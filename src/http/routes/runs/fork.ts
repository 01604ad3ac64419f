/** Forks of sessions: a new session begins as a copy, and both can continue independently. */
import { z } from "zod";
import { reader } from "../../input/decode.ts";
import { identifier } from "../../input/identifiers.ts";
import type { Kind } from "../../transport/kinds.ts";
import { type Call, type Route, route } from "../../transport/route.ts";
import { storedErrors } from "../../transport/statuses.ts";

type ForkCall = Call<{ componentId: string; sessionId: string }, { userId: string | undefined }, undefined>;

/** `POST …/sessions/{session_id}/fork` for agents and teams. */
export function forkRoute(kind: Kind): Route {
  const { name, plural, idParam, tag } = kind;
  return route({
    method: "POST",
    path: `/${plural}/{${idParam}}/sessions/{session_id}/fork`,
    access: { resource: plural, action: "run", idParam },
    operation: {
      id: `fork_${name}_session`,
      tag,
      summary: `Copy a session and the finished runs of the ${name} into a new session`,
      security: "bearer",
      success: { 200: { description: "The new session", json: "any" } },
      errors: [...storedErrors, 409],
    },
    pathParams: reader(z.object({ [idParam]: identifier, session_id: identifier }), (fields) => ({
      componentId: String(fields[idParam]),
      sessionId: String(fields.session_id),
    })),
    query: reader(z.object({ user_id: identifier.nullish() }), (fields) => ({ userId: fields.user_id ?? undefined })),
    handle: (call) => forkSession(kind, call),
  });
}

async function forkSession(
  kind: Kind,
  { services, caller, path, query }: ForkCall,
): Promise<Readonly<Record<string, string>>> {
  const component = { kind: kind.name, componentId: path.componentId };
  const name = { sessionId: path.sessionId, userId: query.userId };
  const copy = await services.runs.sessions.fork(caller, component, name);
  return { session_id: copy, forked_from_session_id: path.sessionId };
}
