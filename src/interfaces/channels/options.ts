/** Options that all chat channels have. */
import type { ComponentKind } from "../../model/run/run.ts";

export interface ChannelOptions {
  /** The component that answers, as `agent:guide`, `team:desk` or `workflow:report`. */
  readonly component: `${ComponentKind}:${string}`;
  /**
   * The token that the channel presents to this server, for example of a service account. Required if the platform's authorization is on. It needs the scopes to run the
   * component, and `approvals:write` for approvals.
   */
  readonly access?: string | undefined;
  /** Ids of the platform's users who may answer approvals, and confirm calls of other users' runs. Default: none. */
  readonly approvers?: readonly string[] | undefined;
  /** Public address of this server, as `https://agents.example.com`. Questions then link to the run in the console. Default: they name the run. */
  readonly url?: string | undefined;
  /** Ids of the platform's users who are answered. Default: everyone. */
  readonly users?: readonly string[] | undefined;
}
