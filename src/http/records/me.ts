/** `GET /me`: the caller in its wire form. */
import { z } from "zod";
import { type Principal, visibleSession } from "../../model/principal.ts";
import type { Permission } from "../callers/permissions.ts";
import { named } from "../input/named-schemas.ts";

const permission = named(
  "Permission",
  z.object({
    method: z.string(),
    path: z.string().describe("Path of the route in the notation of this document."),
    components: z
      .array(z.string())
      .nullable()
      .describe(
        "Ids of the components that the caller may use the route for; null if it is not limited to components.",
      ),
    scopes: z.array(z.string()).describe("The scopes that the route requires."),
  }),
);

const me = z.object({
  kind: z.enum(["open", "operator", "outsider", "user", "service-account", "scheduler"]),
  user_id: z.string().nullable(),
  is_admin: z.boolean(),
  scopes: z.array(z.string()),
  sees_only_own: z.boolean().describe("Whether the caller reaches only its own sessions and runs."),
  session_id: z
    .string()
    .nullable()
    .describe("The only session that the credential permits; null without such a limit."),
  permissions: z.array(permission).describe("The routes that the caller may use, without those that require no scope."),
});

export const meResponse: z.ZodType = named("MeResponse", me);

export function toMe(caller: Principal, permissions: readonly Permission[]): Record<string, unknown> {
  const { kind, userId, isAdmin, scopes, owner } = caller;
  return {
    kind: kind as z.input<typeof me>["kind"],
    user_id: userId,
    is_admin: isAdmin,
    scopes: [...scopes],
    sees_only_own: !isAdmin && (owner !== null || caller.isNameless === true),
    session_id: visibleSession(caller),
    permissions: permissions.map(({ components, scopes: required, ...route }) => ({
      ...route,
      components: components === null ? null : [...components],
      scopes: [...required],
    })),
  } satisfies z.input<typeof me>;
}
