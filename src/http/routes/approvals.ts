/** Routes that list, read, resolve and delete approvals. */
import type { FastifyReply } from "fastify";
import type { z } from "zod";
import { TroupeError } from "../../errors.ts";
import type { RunApproval } from "../../model/approval.ts";
import { type Principal, visibleOwner } from "../../model/principal.ts";
import { approves, readsApprovals, resolvePath } from "../callers/approvers.ts";
import { approvalSchemas, toApprovalRecord, toStatusRecord } from "../records/approvals.ts";
import { toPageInfo } from "../records/pages.ts";
import {
  type ApprovalList,
  type AskedResolution,
  approvalList,
  approvalPath,
  countQuery,
  resolution,
} from "../requests/approvals.ts";
import { sendPage } from "../transport/json-pieces.ts";
import { type Call, type Operation, type Route, route } from "../transport/route.ts";
import { bodyErrors, storedErrors } from "./statuses.ts";

function described(id: string, summary: string, json: z.ZodType, errors = storedErrors): Operation {
  const success = { 200: { description: "Approvals", json } };
  return { id, summary, tag: "Approvals", security: "bearer", faults: "list", success, errors };
}

type One = { readonly approvalId: string };

export const approvalRoutes: readonly Route[] = [
  route({
    method: "GET",
    path: "/approvals",
    access: readsApprovals,
    operation: described(
      "list_approvals_approvals_get",
      "Approvals, newest first, a page at a time",
      approvalSchemas.page,
    ),
    query: approvalList,
    handle: list,
  }),
  route({
    method: "GET",
    path: "/approvals/count",
    access: readsApprovals,
    operation: described(
      "get_approval_count_approvals_count_get",
      "How many approvals are pending",
      approvalSchemas.count,
    ),
    query: countQuery,
    handle: async ({ services, caller, query }) => {
      return { count: await services.approvals.countPending(caller, userOf(caller, query.userId)) };
    },
  }),
  route({
    method: "GET",
    path: "/approvals/{approval_id}/status",
    access: readsApprovals,
    operation: described(
      "get_approval_status_approvals__approval_id__status_get",
      "Where an approval stands",
      approvalSchemas.status,
    ),
    pathParams: approvalPath,
    handle: async (call) => toStatusRecord(await find(call)),
  }),
  route({
    method: "GET",
    path: "/approvals/{approval_id}",
    access: readsApprovals,
    operation: described("get_approval_approvals__approval_id__get", "An approval", approvalSchemas.one),
    pathParams: approvalPath,
    handle: async (call) => toApprovalRecord(await find(call)),
  }),
  route({
    method: "POST",
    path: resolvePath,
    access: approves,
    operation: described(
      "resolve_approval_approvals__approval_id__resolve_post",
      "Approve or reject what a paused run waits for; it goes on when it is continued",
      approvalSchemas.one,
      [...bodyErrors, 409],
    ),
    pathParams: approvalPath,
    body: resolution,
    handle: resolve,
  }),
  route({
    method: "DELETE",
    path: "/approvals/{approval_id}",
    access: { resource: "approvals", action: "delete" },
    operation: {
      ...described("delete_approval_approvals__approval_id__delete", "Delete an approval", approvalSchemas.one),
      success: { 204: { description: "Deleted. The waiting run still needs an approval." } },
    },
    pathParams: approvalPath,
    handle: remove,
  }),
];

async function list({
  services,
  caller,
  query: asked,
  reply,
}: Call<undefined, ApprovalList, undefined>): Promise<unknown> {
  const { clock } = services.runtime;
  const begun = clock.monotonic();
  const { query, page } = asked;
  const maxBytes = services.platform.settings.maxListingBytes;
  const userId = userOf(caller, query.userId);
  const { rows, total } = await services.approvals.list(caller, { ...query, userId, maxBytes });
  const meta = () => toPageInfo({ page, limit: query.limit, total, milliseconds: clock.monotonic() - begun });
  return await sendPage(reply, rows, toApprovalRecord, meta);
}

async function resolve({
  services,
  caller,
  path,
  body,
}: Call<One, undefined, AskedResolution>): Promise<Record<string, unknown>> {
  refuseIsolated(caller);
  const { approvals, runtime, engine } = services;
  const { status, resolvedBy = null, data = null } = body;
  const asked = await find({ services, caller, path });
  if (asked.status === "pending") await engine.checkResolution(caller, asked, { status, resolutionData: data });
  const said = { status, resolvedBy: caller.userId ?? resolvedBy, data, at: runtime.clock.now() };
  const isResolved = await approvals.resolve(caller, path.approvalId, said);
  const approval = await find({ services, caller, path });
  if (isResolved) return toApprovalRecord(approval);
  throw new TroupeError("conflict", `Approval is already '${approval.status}' and cannot be resolved`);
}

async function remove({ services, caller, path, reply }: Call<One, undefined, undefined>): Promise<FastifyReply> {
  refuseIsolated(caller);
  if (!(await services.approvals.delete(caller, path.approvalId))) throw unknown();
  return reply.code(204).send();
}

async function find({
  services,
  caller,
  path,
}: Pick<Call<One, undefined, unknown>, "services" | "caller" | "path">): Promise<RunApproval> {
  const approval = await services.approvals.find(caller, path.approvalId);
  if (!approval) throw unknown();
  return approval;
}

/** A caller with user isolation sees only its own approvals, whatever user it names. */
function userOf(caller: Principal, userId: string | undefined): string | undefined {
  return visibleOwner(caller) === null ? userId : undefined;
}

/** With user isolation, only admins may resolve or delete approvals: a user must not approve its own runs. */
function refuseIsolated(caller: Principal): void {
  if (visibleOwner(caller) !== null) throw unknown();
}

function unknown(): TroupeError {
  return new TroupeError("notFound", "Approval not found");
}
