/** The hook of approvals: calls that wait for a person with the right to approve. */
import { useCallback, useEffect } from "react";
import type { Client } from "../client.ts";
import { useLoaded } from "./loaded.ts";
import { useClient } from "./provider.ts";

/** An approval as the server sends it. Times are in seconds since the epoch. */
export interface Approval {
  readonly id: string;
  readonly run_id: string;
  readonly session_id: string;
  readonly status: string;
  readonly tool_name?: string | null;
  readonly tool_args?: Readonly<Record<string, unknown>> | null;
  readonly source_name?: string | null;
  readonly agent_id?: string | null;
  readonly team_id?: string | null;
  readonly workflow_id?: string | null;
  readonly user_id?: string | null;
  readonly created_at?: number | null;
  readonly resolved_by?: string | null;
  readonly [member: string]: unknown;
}

/** Options of `useApprovals`. */
export interface ApprovalsOptions {
  /** Default: the client of the nearest `TroupeProvider`. */
  readonly client?: Client | Client<never> | undefined;
  /** Default `pending`. */
  readonly status?: "pending" | "approved" | "rejected" | "expired" | "cancelled" | undefined;
  /** Only approvals of this run. */
  readonly runId?: string | undefined;
  /** Maximum number of approvals. Default 100. */
  readonly limit?: number | undefined;
  /** Milliseconds between two requests while the page is visible; 0 for none. Default 5,000. */
  readonly interval?: number | undefined;
}

/** Approvals and actions on them. */
export interface ApprovalsState {
  /** Newest first. */
  readonly approvals: readonly Approval[];
  readonly isLoading: boolean;
  /** Why the approvals could not be loaded. */
  readonly error: Error | undefined;
  /** Approves a call, with values or a result for it. It does not continue the run: continue it without answers. */
  readonly approve: (id: string, data?: Readonly<Record<string, unknown>>) => Promise<void>;
  /** Rejects a call. The model receives `data.note`. */
  readonly reject: (id: string, data?: Readonly<Record<string, unknown>>) => Promise<void>;
  readonly refresh: () => Promise<void>;
}

const none: readonly Approval[] = [];

/**
 * The approvals that the caller may see, loaded again every few seconds while the page is visible. The caller needs the scope `approvals:read`, and
 * `approvals:write` to resolve them.
 */
export function useApprovals(options: ApprovalsOptions = {}): ApprovalsState {
  const { status = "pending", runId, limit = 100, interval = 5000 } = options;
  const client = useClient(options.client as Client | undefined);
  const load = useCallback(async (): Promise<readonly Approval[]> => {
    const query = new URLSearchParams({ status, limit: String(limit), ...(runId !== undefined && { run_id: runId }) });
    const page = (await client.request("GET", `/approvals?${query}`)) as { readonly data: readonly Approval[] };
    return page.data;
  }, [client, status, runId, limit]);
  const { value: approvals = none, isLoading, error, refresh } = useLoaded(load);
  useEffect(() => {
    if (interval <= 0) return undefined;
    const { document } = globalThis as { document?: { readonly visibilityState?: string } };
    const timer = setInterval(() => {
      if (document?.visibilityState !== "hidden") void refresh();
    }, interval);
    return () => clearInterval(timer);
  }, [interval, refresh]);
  const resolve = useCallback(
    async (id: string, decision: "approved" | "rejected", data?: Readonly<Record<string, unknown>>): Promise<void> => {
      const body = { status: decision, ...(data && { resolution_data: data }) };
      await client.request("POST", `/approvals/${encodeURIComponent(id)}/resolve`, body);
      await refresh();
    },
    [client, refresh],
  );
  const approve = useCallback<ApprovalsState["approve"]>((id, data) => resolve(id, "approved", data), [resolve]);
  const reject = useCallback<ApprovalsState["reject"]>((id, data) => resolve(id, "rejected", data), [resolve]);
  return { approvals, isLoading, error, approve, reject, refresh };
}
