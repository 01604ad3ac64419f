/** Starts runs. */
import { isRemote } from "../define/remote.ts";
import type { AcceptedRun, StartRequest } from "../engine/contract.ts";
import { TroupeError } from "../errors.ts";
import type { Principal } from "../model/principal.ts";
import { attributedUser, forwardable } from "./callers.ts";
import { selectVersion, type VersionName } from "./components/selection.ts";
import { findComponent } from "./find.ts";
import { checkKnowledgeFilters } from "./knowledge/filters.ts";
import { type Limited, limitStarts } from "./limits/rates.ts";
import { checkIds, checkSize } from "./limits/sizes.ts";
import type { RunParts } from "./parts.ts";
import { checkRunWebhooks } from "./webhooks/calls.ts";

export type { AcceptedRun } from "../engine/contract.ts";

/** A start, as an interface requests it. */
export interface StartCommand extends Omit<StartRequest, "execution" | "from" | "userId" | "bearer" | "version"> {
  /** The version of the component, or its definition in code. A draft needs the permission to write components. Default: the version that runs use. */
  readonly version?: VersionName | undefined;
  /** The user that the request names; ignored for callers with a credential. */
  readonly userId: string | undefined;
  /** Whether the caller leaves the run to the server: with `options.stream` unset, any process with a free slot takes it. */
  readonly background: boolean;
  /** The caller's token. It is forwarded to the server of a remote component only if that server may see it. */
  readonly token?: string | undefined;
}

/** Fields of a start that an interface may omit: no media, a new session, no named user, no options, not in the background. */
type Omittable = "media" | "sessionId" | "userId" | "options" | "background";

/** A start with or without the fields that have defaults. */
export type GivenStart = Omit<StartCommand, Omittable> & Partial<Pick<StartCommand, Omittable>>;

/** @throws TroupeError `unavailable` while this process accepts no starts. Interfaces call it before they read the body of a start. */
export function checkAcceptance({ engine }: Pick<RunParts, "engine">): void {
  const { acceptance } = engine;
  if (!acceptance.open) throw new TroupeError("unavailable", acceptance.reason, { retryAfter: acceptance.retryAfter });
}

/**
 * Starts a run; resolves when it is durable.
 *
 * @throws TroupeError `notFound` (component, version), `badRequest` (a background run of a remote component, an id), `tooLarge`, `forbidden` (a draft, a reserved user id), `validation` (a
 * version that cannot be used), `tooManyRequests`, and those of `Engine.start`
 */
export async function startRun(parts: RunParts, caller: Principal, given: GivenStart): Promise<AcceptedRun & Limited> {
  const { background = false, token, userId, version: number, ...others } = given;
  const command = { media: [], sessionId: undefined, options: {}, ...others };
  // The creation of an eval or an experiment checks whether the caller may start its version.
  const isChecked = command.options.isMeasured === true;
  const version = number === undefined ? undefined : await selectVersion(parts, caller, command, number, isChecked);
  const entry =
    version === undefined ? findComponent(parts, command) : await parts.engine.componentAt(command, version);
  checkAcceptance(parts);
  // A schedule runs every component in the background; a remote run that it starts begins at once.
  const isElsewhere = isRemote(entry);
  if (background && isElsewhere && command.runId === undefined)
    throw new TroupeError("badRequest", `Background execution is not supported for remote ${command.kind}s`);
  checkSize(parts, command);
  for (const { content, ...given } of command.conversation ?? []) {
    checkSize(parts, { message: content, media: "media" in given ? given.media : [] });
  }
  checkIds({ session: command.sessionId, user: userId });
  checkRunWebhooks(parts, caller, command.options.webhooks);
  checkKnowledgeFilters(entry, command.options.knowledgeFilters);
  const user = attributedUser(caller, userId);
  const run = await limitStarts(parts, caller, user, () =>
    parts.engine.start(caller, {
      ...command,
      version,
      userId: user,
      bearer: forwardable(parts, caller, token),
      execution: background && !command.options.stream && !isElsewhere ? "dispatch" : "now",
    }),
  );
  if (command.pushTargets?.length) parts.pushes?.watch(run.key);
  return run;
}
