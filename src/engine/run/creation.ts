/** Builds the row of an accepted run. */
import { versionsOf } from "../../define/configuration/versions.ts";
import { definitionHash } from "../../define/hash.ts";
import type { Hosted } from "../../define/platform.ts";
import { ownSpace, type Principal, type RunClaims, sessionFor } from "../../model/principal.ts";
import type { Message } from "../../model/run/message.ts";
import type { RunOptions } from "../../model/run/record.ts";
import type { RunCreation } from "../../store/contract/store.ts";
import type { BuildContext } from "../components.ts";
import type { BuildRequest, StartRequest } from "../contract.ts";
import { userLimitsOf } from "../limits/user-limits.ts";
import { modelNames } from "../model-call/models.ts";
import type { EngineParts } from "../parts.ts";
import type { Reservation } from "./idempotency.ts";
import type { StoredOptions } from "./stored-options.ts";
import type { Successor } from "./successor.ts";

/** Data of a start in addition to its request. */
export interface CreationContext {
  /** Id of a start that may be repeated; otherwise a new id is generated. */
  readonly runId: string | undefined;
  readonly reservation: Reservation | undefined;
  /** Whether its caller was already answered with an error. */
  readonly isWithdrawn: () => boolean;
  /** Set for a run that continues from another run. */
  readonly successor: Successor | undefined;
}

/** The user of a run: the caller's, or else the user that the request names. */
export function userOf(caller: Principal, { userId }: Pick<StartRequest, "userId">): string | null {
  return caller.userId ?? userId ?? null;
}

/** Returns the row of a start. */
export function creationOf(
  { runtime, processId, settings, limits }: Pick<EngineParts, "runtime" | "processId" | "settings" | "limits">,
  caller: Principal,
  request: StartRequest,
  component: Hosted,
  { runId, reservation, isWithdrawn, successor }: CreationContext,
): RunCreation {
  const { message, media, idempotency, redactedBy } = request;
  const given = successor ? undefined : givenMessages(runtime, request, component);
  const options = withClaims(
    { ...request.options, ...successor?.options, ...(given && { givenMessages: given.length - 1 }) },
    caller.claims,
  );
  const { claims: _, ...who } = caller;
  const sessionId = sessionFor(caller, request.sessionId);
  const fingerprint = idempotency && { fingerprint: idempotency.fingerprint };
  const claimed = Object.keys(caller.claims?.dependencies ?? {});
  const userLimits = userLimitsOf(limits, caller, userOf(caller, request));
  const versions = versionsOf(component);
  const stored: StoredOptions = {
    ...{ ...options, ...request.trace, caller: who, ...fingerprint },
    ...(claimed.length > 0 && { claimed }),
    ...(userLimits.length > 0 && { userLimits }),
    ...(versions && { versions }),
    ...(typeof request.version === "object" && request.version.isDraft && { config: request.version.config }),
  };
  const input = successor?.input ?? (media.length > 0 ? { message, media } : { message });
  return {
    runId: runId ?? runtime.randomness.uuid(),
    kind: component.kind,
    componentId: component.id,
    componentName: component.name,
    sessionId: sessionId ?? runtime.randomness.uuid(),
    hasNewSession: sessionId === undefined && successor === undefined,
    owner: ownSpace(caller),
    userId: userOf(caller, request),
    input: JSON.stringify({ ...input, redactedBy }),
    options: JSON.stringify(stored),
    definitionHash: definitionHash(component),
    ...modelNames(component),
    createdAt: runtime.clock.now(),
    policy: component.sessionPolicy ?? "queue",
    maxWaiting: settings.maxQueuedRunsPerSession,
    sessionState: JSON.stringify({ ...component.sessionState, ...options.sessionState }),
    sessionTitle: titleOf(message),
    startBy: request.execution === "now" ? processId : null,
    background: request.execution === "dispatch",
    reservation: reservation?.digest,
    isWithdrawn,
    ...(successor && placeOf(successor)),
    ...(given && { messages: given }),
    pushTargets: request.pushTargets,
  };
}

/** The conversation that the request brings, followed by its message; undefined without a conversation. */
function givenMessages(
  { randomness, clock }: EngineParts["runtime"],
  { conversation = [], message, media }: StartRequest,
  component: Hosted,
): RunCreation["messages"] {
  if (conversation.length === 0 || component.kind === "workflow") return undefined;
  const question: Message = { role: "user", content: message, ...(media.length > 0 && { media }) };
  return [...conversation, question].map((body, position) => ({
    position,
    id: randomness.uuid(),
    createdAt: clock.now(),
    body: JSON.stringify(body),
  }));
}

/** A successor runs in its predecessor's session or in the copy of that session, with its own caller's identity. */
function placeOf({ sessionId, owner, messages, replaces }: Successor): Partial<RunCreation> {
  return { sessionId, owner, messages, replaces };
}

/** Returns a factory's context for a start. Of the claims it contains only stored ones, so that a process that recovers the run builds the same. */
export function buildContextOf(caller: Principal, { options, userId }: BuildRequest): BuildContext {
  const { claims, ...principal } = caller;
  const { factoryInput: input, dependencies = {} } = withClaims(options, claims);
  return { input, principal, userId: userOf(caller, { userId }), dependencies };
}

/** Merges the credential's claims into the options; the claims take precedence. */
function withClaims(options: RunOptions, claims: RunClaims | undefined): RunOptions {
  if (!claims) return options;
  const { dependencies, sessionState } = claims;
  return {
    ...options,
    ...(dependencies ? { dependencies: { ...options.dependencies, ...dependencies } } : {}),
    ...(sessionState ? { sessionState: { ...options.sessionState, ...sessionState } } : {}),
  };
}

/** Maximum length of a session's title. */
const maxTitleLength = 500;

/** The session's title, from its first message. Stored as plain text, so characters that the database rejects are removed. */
function titleOf(message: string): string {
  return message.slice(0, maxTitleLength).replaceAll("\0", "").toWellFormed();
}
