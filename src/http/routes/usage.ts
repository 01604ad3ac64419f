/** The route that shows how close limits are. */
import { z } from "zod";
import type { UsageQuery } from "../../runs/limits/usage.ts";
import { type Reader, reader } from "../input/decode.ts";
import { identifier } from "../input/identifiers.ts";
import { type Route, route } from "../transport/route.ts";
import { storedErrors } from "../transport/statuses.ts";

const query: Reader<UsageQuery> = reader(
  z.object({ user_id: identifier.nullish(), session_id: identifier.nullish() }),
  (fields) => ({ userId: fields.user_id ?? undefined, sessionId: fields.session_id ?? undefined }),
);

const limit = z.object({
  scope: z.enum(["platform", "agent", "team", "workflow", "user", "run"]),
  id: z.string().nullable(),
  period: z.enum(["run", "session", "day"]),
  metric: z.enum(["tokens", "cost", "model_requests", "tool_calls", "duration"]),
  used: z.number(),
  allowed: z.number(),
  reset_at: z.iso.datetime().nullable(),
});

const report = z.object({
  user_id: z.string().nullable(),
  session_id: z.string().nullable(),
  reset_at: z.iso.datetime(),
  limits: z.array(limit),
});

export const usageRoutes: readonly Route[] = [
  route({
    method: "GET",
    path: "/usage",
    access: { resource: "sessions", action: "read" },
    operation: {
      id: "get_usage",
      tag: "Usage",
      summary: "Show the limits per day and per session with their use, those closest to their end first",
      security: "bearer",
      success: { 200: { description: "Limits", json: report } },
      errors: storedErrors,
    },
    query,
    async handle({ services, caller, query: asked }) {
      const { userId, sessionId, resetAt, limits } = await services.runs.usage(caller, asked);
      return { user_id: userId, session_id: sessionId, reset_at: new Date(resetAt).toISOString(), limits };
    },
  }),
];
