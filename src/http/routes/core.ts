/** Routes about the platform itself. */
import { configResponse, toConfig } from "../records/config.ts";
import { toModelList } from "../records/models.ts";
import { toPageInfo } from "../records/pages.ts";
import { platformResponses, toHealth, toInfo, toRoot } from "../records/platform.ts";
import { registryPage, toRegistryRecord } from "../records/registry.ts";
import { databasePath, migrationTarget, registryList } from "../requests/registry.ts";
import { sendPage } from "../transport/json-pieces.ts";
import { type Access, type Operation, type Route, route } from "../transport/route.ts";
import { storedErrors, usualErrors } from "../transport/statuses.ts";

const readsConfig: Access = { resource: "config", action: "read" };
const writesConfig: Access = { resource: "config", action: "write" };

function migration(id: string, summary: string): Operation {
  const success = { 200: { description: "They are applied", json: "any" as const } };
  return { id, tag: "Database", summary, security: "bearer", success, errors: [...storedErrors, 409] };
}

/** `startedAt` is the time when the server was created, in milliseconds since the epoch. */
export function coreRoutes(startedAt: number): readonly Route[] {
  return [
    route({
      method: "GET",
      path: "/",
      access: "public",
      operation: {
        id: "get_api_info",
        tag: "Home",
        summary: "Get the name and the version of the platform",
        security: "none",
        success: { 200: { description: "The platform", json: "any" } },
        errors: [],
      },
      handle: ({ services }) => toRoot(services.platform),
    }),
    route({
      method: "GET",
      path: "/health",
      // Health checks often use HEAD.
      head: true,
      access: "public",
      operation: {
        id: "health_check",
        tag: "Health",
        summary: "Check whether the server answers",
        security: "none",
        success: { 200: { description: "It does", json: platformResponses.health } },
        errors: [],
      },
      handle: () => toHealth(startedAt),
    }),
    // The contract has no such checks, so the OpenAPI document omits them: docs/observability.md.
    route({
      method: "GET",
      path: "/health/live",
      head: true,
      access: "open",
      handle: () => ({ status: "ok" }),
    }),
    route({
      method: "GET",
      path: "/health/ready",
      head: true,
      access: "open",
      handle: async ({ services, reply }) => {
        const reasons = await services.readiness.reasons();
        if (reasons.length === 0) return { status: "ok" };
        reply.code(503);
        return { status: "unavailable", reasons };
      },
    }),
    route({
      method: "GET",
      path: "/info",
      access: "public",
      operation: {
        id: "get_info",
        tag: "Core",
        summary: "Get the information that a client needs before it signs in",
        security: "none",
        success: { 200: { description: "The platform in numbers", json: platformResponses.info } },
        errors: [],
      },
      handle: ({ services }) => toInfo(services.platform, services.registry.hosted, services.gate.mode),
    }),
    route({
      method: "GET",
      path: "/config",
      access: readsConfig,
      operation: {
        id: "get_config",
        tag: "Core",
        summary: "Get the configuration of the platform: its components and its database",
        security: "bearer",
        success: { 200: { description: "The configuration", json: configResponse } },
        errors: usualErrors,
      },
      handle: ({ services }) => toConfig(services.platform, services.registry.hosted, services.store.capabilities),
    }),
    route({
      method: "GET",
      path: "/models",
      access: readsConfig,
      operation: {
        id: "get_models",
        tag: "Core",
        summary: "List the models of the hosted agents and teams",
        security: "bearer",
        success: { 200: { description: "Each model once", json: platformResponses.models } },
        errors: usualErrors,
      },
      handle: ({ services: { registry } }) => toModelList(registry.hosted),
    }),
    route({
      method: "GET",
      path: "/registry",
      access: { resource: "registry", action: "read" },
      operation: {
        id: "list_registry",
        tag: "Registry",
        summary: "List the agents, teams, models, tools, knowledge bases and databases of the platform, in pages",
        security: "bearer",
        success: { 200: { description: "A page", json: registryPage } },
        errors: usualErrors,
      },
      query: registryList,
      handle: ({ services: { runs, runtime }, caller, query: { filter, page, limit }, reply }) => {
        const begun = runtime.clock.monotonic();
        const parts = runs.registry(caller, filter);
        return sendPage(reply, parts.slice((page - 1) * limit, page * limit), toRegistryRecord, () =>
          toPageInfo({ page, limit, total: parts.length, milliseconds: runtime.clock.monotonic() - begun }),
        );
      },
    }),
    route({
      method: "POST",
      path: "/databases/all/migrate",
      access: writesConfig,
      operation: migration("migrate_all_databases", "Apply the migrations that the databases lack"),
      query: migrationTarget,
      handle: async ({ services, query }) => {
        await services.runs.migrate(undefined, query.target);
        return { message: "All databases migrated successfully to latest version" };
      },
    }),
    route({
      method: "POST",
      path: "/databases/{db_id}/migrate",
      access: writesConfig,
      operation: migration("migrate_database", "Apply the migrations that a database lacks"),
      pathParams: databasePath,
      query: migrationTarget,
      handle: async ({ services, path, query }) => {
        await services.runs.migrate(path.databaseId, query.target);
        return { message: "Database migrated successfully to latest version" };
      },
    }),
  ];
}
