/** The hooks with the types of a platform. */
import type { ReactElement } from "react";
import type { Client } from "../client.ts";
import { type ApprovalsOptions, type ApprovalsState, useApprovals } from "./approvals.ts";
import type { ComponentOf, ContentOf } from "./component-of.ts";
import { TroupeProvider, type TroupeProviderProps, useClient } from "./provider.ts";
import { type RunControls, type UseRunOptions, useRun } from "./run.ts";
import type { RunState } from "./run-store.ts";
import { type SessionState, type UseSessionOptions, useSession } from "./session.ts";

/** The hooks, with the components of one platform. */
export interface Hooks<Platform> {
  readonly TroupeProvider: (props: TroupeProviderProps<Platform>) => ReactElement;
  readonly useClient: (client?: Client<Platform>) => Client<Platform>;
  readonly useRun: <const Of extends ComponentOf<Platform>>(
    of: Of,
    options?: UseRunOptions<Platform>,
  ) => RunState<ContentOf<Platform, Of>> & RunControls<Platform, Of>;
  readonly useSession: <const Of extends ComponentOf<Platform>>(
    of: Of,
    sessionId: string,
    options?: UseSessionOptions<Platform>,
  ) => SessionState<Platform, Of>;
  readonly useApprovals: (options?: ApprovalsOptions) => ApprovalsState;
}

/**
 * The hooks with the types of a platform: ids, inputs and contents of its components. Import the platform's type only, so that its code stays on the server.
 *
 * @example
 * ```ts
 * import { defineAgent, definePlatform } from "troupe";
 * import { createHooks } from "troupe/react";
 *
 * const platform = definePlatform({ id: "travel", agents: [defineAgent({ id: "guide", model: "openai:gpt-5.2" })] });
 * const { TroupeProvider, useRun } = createHooks<typeof platform>();
 * ```
 */
export function createHooks<Platform>(): Hooks<Platform> {
  return { TroupeProvider, useClient, useRun, useSession, useApprovals } as unknown as Hooks<Platform>;
}
