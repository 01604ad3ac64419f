/** Forks of sessions: a new session begins as a copy, and both can continue independently. */
import { z } from "zod";
import { isRemote } from "../../define/remote.ts";
import { TroupeError } from "../../errors.ts";
import { inheritedUserId, type Principal } from "../../model/principal.ts";
import { reader } from "../input/decode.ts";
import { identifier } from "../input/identifiers.ts";
import { type Call, type Route, route } from "../transport/route.ts";
import { hosted, type Kind } from "./kinds.ts";
import { findChosen } from "./session-calls.ts";
import { storedErrors } from "./statuses.ts";

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
      summary: `Copy a session with the ${name}'s finished runs into a new one`,
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

/** Rejects credentials that are limited to one session: a fork is another session. @throws TroupeError `forbidden` */
export function demandForkable({ claims }: Principal): void {
  if (claims?.sessionId === undefined) return;
  throw new TroupeError("forbidden", "The credential is for one session only, and a fork is another one.");
}

async function forkSession(kind: Kind, call: ForkCall): Promise<unknown> {
  const { services, caller, path } = call;
  demandForkable(caller);
  // The remote server holds the session's history, too, and offers no copy of it.
  if (isRemote(hosted(services, kind, path.componentId)))
    throw new TroupeError("badRequest", `Fork is not supported for remote ${kind.plural}`);
  const session = await findChosen(call, path.sessionId, call.query.userId);
  const made =
    session &&
    (await services.engine.forkSession({
      kind: kind.name,
      componentId: path.componentId,
      sessionKey: session.key,
      sessionId: session.sessionId,
      owner: caller.owner ?? session.owner,
      userId: inheritedUserId(caller, session.userId),
    }));
  if (made === undefined) throw new TroupeError("badRequest", "Source session has no runs to fork.");
  return { session_id: made, forked_from_session_id: path.sessionId };
}
