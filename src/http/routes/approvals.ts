/** Routes that list, read, resolve and delete approvals. */
import type { FastifyReply } from "fastify";
import type { z } from "zod";
import type { RunApproval } from "../../runs/approvals.ts";
import { approvalRoutes as permissions } from "../../runs/callers.ts";
import { approvalSchemas, toApprovalRecord, toStatusRecord } from "../records/approvals.ts";
import { toPageInfo } from "../records/pages.ts";
import { type ApprovalList, approvalList, approvalPath, countQuery, resolution } from "../requests/approvals.ts";
import { sendPage } from "../transport/json-pieces.ts";
import { type Call, type Operation, type Route, route } from "../transport/route.ts";
import { bodyErrors, storedErrors } from "../transport/statuses.ts";

function described(id: string, summary: string, json: z.ZodType, errors = storedErrors): Operation {
  const success = { 200: { description: "Approvals", json } };
  return { id, summary, tag: "Approvals", security: "bearer", faults: "list", success, errors };
}

type One = { readonly approvalId: string };

export const approvalRoutes: readonly Route[] = [
  route({
    method: "GET",
    path: "/approvals",
    access: permissions.read,
    operation: described(
      "list_approvals_approvals_get",
      "List approvals, newest first, in pages",
      approvalSchemas.page,
    ),
    query: approvalList,
    handle: list,
  }),
  route({
    method: "GET",
    path: "/approvals/count",
    access: permissions.read,
    operation: described("get_approval_count_approvals_count_get", "Count pending approvals", approvalSchemas.count),
    query: countQuery,
    handle: async ({ services, caller, query }) => {
      return { count: await services.runs.approvals.count(caller, query.userId) };
    },
  }),
  route({
    method: "GET",
    path: "/approvals/{approval_id}/status",
    access: permissions.read,
    operation: described(
      "get_approval_status_approvals__approval_id__status_get",
      "Get the status of an approval",
      approvalSchemas.status,
    ),
    pathParams: approvalPath,
    handle: async (call) => toStatusRecord(await find(call)),
  }),
  route({
    method: "GET",
    path: "/approvals/{approval_id}",
    access: permissions.read,
    operation: described("get_approval_approvals__approval_id__get", "Get an approval", approvalSchemas.one),
    pathParams: approvalPath,
    handle: async (call) => toApprovalRecord(await find(call)),
  }),
  route({
    method: "POST",
    path: permissions.resolve.path,
    access: permissions.resolve,
    operation: described(
      "resolve_approval_approvals__approval_id__resolve_post",
      "Approve or reject a paused run's request; a continue request then resumes the run",
      approvalSchemas.one,
      [...bodyErrors, 409],
    ),
    pathParams: approvalPath,
    body: resolution,
    handle: async ({ services, caller, path, body }) =>
      toApprovalRecord(await services.runs.approvals.resolve(caller, path.approvalId, body)),
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

async function list(call: Call<undefined, ApprovalList, undefined>): Promise<unknown> {
  const { services, caller, query: asked, reply } = call;
  const { clock } = services.runtime;
  const begun = clock.monotonic();
  const { query, page } = asked;
  const { rows, total } = await services.runs.approvals.list(caller, query);
  const meta = () => toPageInfo({ page, limit: query.limit, total, milliseconds: clock.monotonic() - begun });
  return await sendPage(reply, rows, toApprovalRecord, meta);
}

async function remove({ services, caller, path, reply }: Call<One, undefined, undefined>): Promise<FastifyReply> {
  await services.runs.approvals.delete(caller, path.approvalId);
  return reply.code(204).send();
}

async function find({ services, caller, path }: Call<One, undefined, undefined>): Promise<RunApproval> {
  return await services.runs.approvals.find(caller, path.approvalId);
}
