/** The platform in its wire form. */
import { z } from "zod";
import type { Entry, Platform } from "../../define/platform.ts";
import type { AuthMode } from "../../model/authorization.ts";
import type { ComponentKind } from "../../model/run/run.ts";
import { named } from "../input/named-schemas.ts";
import { interfaceVersion, troupeVersion } from "../transport/version.ts";
import { modelSummary } from "./models.ts";

const health = named("HealthResponse", z.object({ status: z.string(), instantiated_at: z.iso.datetime() }));

const mcpInfo = named(
  "McpInfo",
  z.object({
    enabled: z.boolean().default(false),
    path: z.string().nullish(),
    oauth: named(
      "McpOAuthInfo",
      z.object({ authorization_servers: z.array(z.string()).nullish(), resource: z.string().nullish() }),
    ).nullish(),
  }),
);

const info = named(
  "InfoResponse",
  z.object({
    os_id: z.string(),
    name: z.string().nullish(),
    agno_version: z.string(),
    troupe_version: z.string().optional(),
    agent_count: z.int().default(0),
    team_count: z.int().default(0),
    workflow_count: z.int().default(0),
    mcp: mcpInfo.optional(),
    auth_mode: z.enum(["none", "security_key", "jwt"]).default("none"),
  }),
);

/** Answers of the routes about the platform itself. */
export const platformResponses: Readonly<Record<"health" | "info" | "models", z.ZodType>> = {
  health,
  info,
  models: z.array(modelSummary),
};

/** `GET /health`. */
export function toHealth(startedAt: number): Record<string, unknown> {
  return { status: "ok", instantiated_at: new Date(startedAt).toISOString() } satisfies z.input<typeof health>;
}

/** `GET /info`. */
export function toInfo(platform: Platform, hosted: readonly Entry[], authMode: AuthMode): Record<string, unknown> {
  const countOf = (kind: ComponentKind): number => hosted.filter((entry) => entry.kind === kind).length;
  return {
    os_id: platform.id,
    name: platform.name,
    agno_version: interfaceVersion,
    troupe_version: troupeVersion,
    agent_count: countOf("agent"),
    team_count: countOf("team"),
    workflow_count: countOf("workflow"),
    mcp: toMcpInfo(platform),
    auth_mode: authMode,
  } satisfies z.input<typeof info>;
}

/** The MCP server. The address of its resource is in its OAuth metadata, because it depends on the request unless the platform sets it. */
function toMcpInfo({ mcp, authorization }: Platform): z.input<typeof mcpInfo> {
  if (mcp === false) return { enabled: false, path: null, oauth: null };
  const { issuers = [] } = typeof authorization === "object" ? authorization : {};
  const resource = mcp.url === undefined ? null : `${mcp.url.replace(/\/+$/, "")}/mcp`;
  const oauth = { authorization_servers: issuers.map(({ issuer }) => issuer), resource };
  return { enabled: true, path: "/mcp", oauth: issuers.length > 0 ? oauth : null };
}

/** `GET /`. */
export function toRoot(platform: Platform): Record<string, string> {
  return { name: "Troupe API", id: platform.id, version: platform.version };
}
