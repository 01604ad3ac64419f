/** Filters of the screen, in the URL. */
import type { ComponentKind } from "../../api/component-kinds.ts";
import { choiceIn, countIn, type RawSearch, textIn } from "../../routing/search.ts";

const tabs = ["waiting", "approvals"] as const;
export const approvalStatuses = ["pending", "approved", "rejected", "expired", "cancelled"] as const;
export const pauseTypes = ["confirmation", "user_input", "external_execution"] as const;

export interface ApprovalSearch {
  readonly tab?: (typeof tabs)[number] | undefined;
  /** Kind and id of a component: `agent:weather`. */
  readonly component?: string | undefined;
  readonly user?: string | undefined;
  /** Of approvals; default `pending`. */
  readonly status?: (typeof approvalStatuses)[number] | "all" | undefined;
  readonly type?: (typeof pauseTypes)[number] | undefined;
  readonly page?: number | undefined;
  /** Id of the open run or approval. */
  readonly open?: string | undefined;
}

export function readApprovalSearch(search: RawSearch): ApprovalSearch {
  return {
    tab: choiceIn(search, "tab", tabs),
    component: textIn(search, "component"),
    user: textIn(search, "user"),
    status: choiceIn(search, "status", [...approvalStatuses, "all"]),
    type: choiceIn(search, "type", pauseTypes),
    page: countIn(search, "page"),
    open: textIn(search, "open"),
  };
}

/** Returns the kind and the id of a component in the URL. */
export function componentIn(text: string | undefined): { kind?: ComponentKind; id?: string } {
  const [, kind, id] = /^(agent|team|workflow):(.+)$/.exec(text ?? "") ?? [];
  return kind && id ? { kind: kind as ComponentKind, id } : {};
}
