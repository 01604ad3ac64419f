import Fastify from "fastify";
import { describe, expect, test } from "vitest";
import { interfaceRoutes } from "../../src/http/routes/all.ts";
import { docsRoutes } from "../../src/http/routes/pages/docs.ts";
import { requireRouteAccess } from "../../src/http/transport/route.ts";

const routes = [...interfaceRoutes(0), ...docsRoutes(() => ({}))];

describe("access of routes", () => {
  test("a route that declares no access cannot be added", () => {
    const app = Fastify();
    requireRouteAccess(app);
    expect(() => app.get("/secret", () => "")).toThrow(/Route GET \/secret does not declare whom it serves/);
  });

  test("[J12] only the public paths and the assets of the documentation are public", () => {
    const open = routes.filter(({ access }) => access === "public").map(({ method, path }) => `${method} ${path}`);
    expect(open.sort()).toEqual(
      [
        ...["GET /", "GET /health", "GET /info", "GET /docs", "GET /redoc", "GET /openapi.json"],
        ...["GET /docs/oauth2-redirect", "GET /docs/assets/{file}"],
      ].sort(),
    );
  });

  test("only the health checks of load balancers ignore every credential", () => {
    const open = routes.filter(({ access }) => access === "open").map(({ method, path }) => `${method} ${path}`);
    expect(open).toEqual(["GET /health/live", "GET /health/ready"]);
  });

  test("every other route requires a scope, for its component if the path has one", () => {
    const scopes = routes.flatMap(({ method, path, access }) =>
      typeof access === "string"
        ? []
        : [`${method} ${path} ${access.resource}:${access.action} ${access.idParam ?? "-"}`],
    );
    const kinds = [
      ["agents", "agent_id"],
      ["teams", "team_id"],
      ["workflows", "workflow_id"],
    ] as const;
    expect(scopes.sort()).toEqual(
      [
        ...["GET /schedules", "GET /schedules/{schedule_id}"].map((route) => `${route} schedules:read -`),
        "GET /schedules/{schedule_id}/runs schedules:read -",
        "GET /schedules/{schedule_id}/runs/{run_id} schedules:read -",
        ...["POST /schedules", "PATCH /schedules/{schedule_id}"].map((route) => `${route} schedules:write -`),
        "POST /schedules/{schedule_id}/disable schedules:write -",
        "POST /schedules/{schedule_id}/enable schedules:write -",
        "POST /schedules/{schedule_id}/trigger schedules:write -",
        "DELETE /schedules/{schedule_id} schedules:delete -",
        "GET /config config:read -",
        "GET /registry registry:read -",
        ...["all", "{db_id}"].map((one) => `POST /databases/${one}/migrate config:write -`),
        "DELETE /users/{user_id}/data agent_os:admin -",
        "GET /overview config:read -",
        "GET /definitions components:read -",
        "GET /runs sessions:read -",
        "GET /feedback sessions:read -",
        ...["", "/{dataset_id}"].map((one) => `GET /datasets${one} evals:read -`),
        ...["", "/{dataset_id}/rows"].map((one) => `POST /datasets${one} evals:write -`),
        "PATCH /datasets/{dataset_id} evals:write -",
        ...["", "/{experiment_id}"].map((one) => `GET /experiments${one} evals:read -`),
        ...["", "/{experiment_id}/cancel"].map((one) => `POST /experiments${one} evals:write -`),
        "DELETE /experiments/{experiment_id} evals:delete -",
        ...["", "/rows/{row_id}"].map((one) => `DELETE /datasets/{dataset_id}${one} evals:delete -`),
        ...["GET /traces", "GET /traces/filter-schema", "GET /traces/{trace_id}", "POST /traces/search"].map(
          (one) => `${one} traces:read -`,
        ),
        "GET /trace_session_stats traces:read -",
        "GET /usage sessions:read -",
        ...["", "/{delivery_id}"].map((one) => `GET /webhooks/deliveries${one} webhooks:read -`),
        "POST /webhooks/deliveries/{delivery_id}/replay webhooks:write -",
        "GET /traces/stats traces:read -",
        "GET /metrics metrics:read -",
        "POST /metrics/refresh metrics:write -",
        ...["", "/count", "/{approval_id}", "/{approval_id}/status"].map(
          (one) => `GET /approvals${one} approvals:read -`,
        ),
        "POST /approvals/{approval_id}/resolve approvals:write -",
        "DELETE /approvals/{approval_id} approvals:delete -",
        "POST /service-accounts service_accounts:write -",
        "GET /service-accounts service_accounts:read -",
        "DELETE /service-accounts/{service_account_id} service_accounts:delete -",
        ...["/memories", "/memories/{memory_id}", "/memory_topics", "/user_memory_stats"].map(
          (one) => `GET ${one} memories:read -`,
        ),
        ...["POST /memories", "POST /optimize-memories", "PATCH /memories/{memory_id}"].map(
          (one) => `${one} memories:write -`,
        ),
        ...["DELETE /memories", "DELETE /memories/{memory_id}"].map((one) => `${one} memories:delete -`),
        ...["", "/users", "/{learning_id}"].map((one) => `GET /learnings${one} learnings:read -`),
        ...["POST /learnings", "PATCH /learnings/{learning_id}"].map((one) => `${one} learnings:write -`),
        ...["/{learning_id}", "/users/{user_id}"].map((one) => `DELETE /learnings${one} learnings:delete -`),
        "GET /components components:read -",
        "POST /components components:write -",
        ...["GET read", "PATCH write", "DELETE delete"].flatMap((one) => {
          const [method, action] = one.split(" ");
          return ["", "/configs/{version}"].map(
            (below) => `${method} /components/{component_id}${below} components:${action} component_id`,
          );
        }),
        "POST /components/import components:write -",
        ...["/configs", "/configs/current", "/export"].map(
          (below) => `GET /components/{component_id}${below} components:read component_id`,
        ),
        ...["/unset-current", "/configs", "/configs/{version}/set-current"].map(
          (below) => `POST /components/{component_id}${below} components:write component_id`,
        ),
        ...["", "/{eval_run_id}"].map((one) => `GET /eval-runs${one} evals:read -`),
        ...["POST /eval-runs", "PATCH /eval-runs/{eval_run_id}"].map((one) => `${one} evals:write -`),
        "DELETE /eval-runs evals:delete -",
        ...["", "/config", "/content", "/{knowledge_id}/sources"].map((one) => `GET /knowledge${one} knowledge:read -`),
        ...["", "/chunks", "/citations", "/status"].map(
          (one) => `GET /knowledge/content/{content_id}${one} knowledge:read -`,
        ),
        "POST /knowledge/search knowledge:read -",
        "GET /knowledge/{knowledge_id}/sources/{source_id}/files knowledge:read -",
        "POST /knowledge/remote-content knowledge:write -",
        ...["", "/{content_id}/cancel", "/{content_id}/retry"].map(
          (one) => `POST /knowledge/content${one} knowledge:write -`,
        ),
        "PATCH /knowledge/content/{content_id} knowledge:write -",
        ...["", "/{content_id}"].map((one) => `DELETE /knowledge/content${one} knowledge:delete -`),
        "GET /models config:read -",
        ...kinds.flatMap(([plural, id]) => [
          `GET /${plural} ${plural}:read -`,
          `GET /${plural}/{${id}} ${plural}:read ${id}`,
          `GET /${plural}/{${id}}/runs ${plural}:read ${id}`,
          `GET /${plural}/{${id}}/runs/{run_id} ${plural}:read ${id}`,
          `DELETE /${plural}/{${id}}/runs/{run_id} ${plural}:delete ${id}`,
          `POST /${plural}/{${id}}/runs ${plural}:run ${id}`,
          `POST /${plural}/{${id}}/runs/{run_id}/cancel ${plural}:run ${id}`,
          `GET /${plural}/{${id}}/runs/{run_id}/events ${plural}:read ${id}`,
          `POST /${plural}/{${id}}/runs/{run_id}/resume ${plural}:run ${id}`,
          `POST /${plural}/{${id}}/runs/{run_id}/continue ${plural}:run ${id}`,
          `POST /${plural}/{${id}}/runs/{run_id}/messages ${plural}:run ${id}`,
          `GET /${plural}/{${id}}/runs/{run_id}/feedback ${plural}:read ${id}`,
          ...["POST", "DELETE"].map((one) => `${one} /${plural}/{${id}}/runs/{run_id}/feedback ${plural}:run ${id}`),
        ]),
        ...kinds
          .slice(0, 2)
          .flatMap(([plural, id]) => [
            `GET /${plural}/{${id}}/runs/{run_id}/checkpoints ${plural}:read ${id}`,
            `GET /${plural}/{${id}}/runs/{run_id}/checkpoints/{message_index} ${plural}:read ${id}`,
            `POST /${plural}/{${id}}/sessions/{session_id}/fork ${plural}:run ${id}`,
          ]),
        ...["GET /sessions", "GET /sessions/{session_id}"].map((read) => `${read} sessions:read -`),
        ...["", "/{run_id}"].map((one) => `GET /sessions/{session_id}/runs${one} sessions:read -`),
        ...["POST /sessions", "PATCH /sessions/{session_id}"].map((write) => `${write} sessions:write -`),
        "POST /sessions/{session_id}/rename sessions:write -",
        ...["DELETE /sessions", "DELETE /sessions/{session_id}"].map((one) => `${one} sessions:delete -`),
      ].sort(),
    );
  });
});
