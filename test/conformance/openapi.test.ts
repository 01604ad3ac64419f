import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { interfaceRoutes } from "../../src/http/routes/all.ts";
import { describeRoutes } from "../../src/http/transport/openapi.ts";
import { a2aRoutes } from "../../src/interfaces/a2a/routes/all.ts";
import { differences } from "./support/openapi-differences.ts";
import { factsOf, type OpenApiDocument, type OpenApiOperation } from "./support/openapi-facts.ts";

const recorded: OpenApiDocument = JSON.parse(readFileSync(new URL("data/openapi-2.7.4.json", import.meta.url), "utf8"));
const ours = describeRoutes([...interfaceRoutes(0), ...a2aRoutes({ a2a: {} })]) as unknown as OpenApiDocument;

const operations = Object.entries(ours.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    name: `${method.toUpperCase()} ${path}`,
    path,
    method,
    operation,
  })),
);

function differencesOf(name: string, operation: OpenApiOperation, reference: OpenApiOperation): string[] {
  const left = new Set(factsOf(recorded, reference));
  const right = new Set(factsOf(ours, operation));
  const missing = [...left].filter((fact) => !right.has(fact)).map((fact) => `-${fact}`);
  const added = [...right].filter((fact) => !left.has(fact)).map((fact) => `+${fact}`);
  return [...missing, ...added].map((fact) => `${name}: ${fact}`);
}

const found = operations.flatMap(({ name, path, method, operation }) => {
  const reference = recorded.paths[path]?.[method];
  return reference ? differencesOf(name, operation, reference) : [`${name}: is not recorded`];
});

function covers({ operation, fact }: (typeof differences)[number], line: string): boolean {
  const [name = "", ...rest] = line.split(": ");
  return operation.test(name) && fact.test(rest.join(": "));
}

describe("the OpenAPI document", () => {
  test("[X1] is of OpenAPI version 3.1.0", () => {
    expect(ours.openapi).toBe("3.1.0");
  });

  test("[X2] has info.version 2.7.4", () => {
    expect(ours.info.version).toBe("2.7.4");
  });

  test.each(operations)("[R1] [X4] describes $name as recorded, except for listed differences", ({ name }) => {
    const own = found.filter((line) => line.startsWith(`${name}: `));
    expect(own.filter((line) => !differences.some((difference) => covers(difference, line)))).toEqual([]);
  });

  test("differs in every listed difference", () => {
    expect(differences.filter((difference) => !found.some((line) => covers(difference, line)))).toEqual([]);
  });

  test("describes all 133 recorded operations", () => {
    const methods = ["get", "post", "put", "patch", "delete"];
    const all = Object.entries(recorded.paths).flatMap(([path, of]) =>
      methods.filter((method) => of[method]).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect([operations.filter(({ name }) => all.includes(name)).length, all.length]).toEqual([133, 133]);
  });

  test("describes exactly the expected operations", () => {
    expect(operations.map(({ name }) => name).sort()).toEqual(
      [
        ...["GET /", "GET /health", "GET /info", "GET /config", "GET /models", "GET /me", "GET /overview", "GET /runs"],
        ...["POST /service-accounts", "GET /service-accounts", "DELETE /service-accounts/{service_account_id}"],
        ...["agent", "team", "workflow"].flatMap((kind) => [
          `GET /${kind}s`,
          `GET /${kind}s/{${kind}_id}`,
          `POST /${kind}s/{${kind}_id}/runs`,
          `GET /${kind}s/{${kind}_id}/runs`,
          `GET /${kind}s/{${kind}_id}/runs/{run_id}`,
          `DELETE /${kind}s/{${kind}_id}/runs/{run_id}`,
          `POST /${kind}s/{${kind}_id}/runs/{run_id}/cancel`,
          `GET /${kind}s/{${kind}_id}/runs/{run_id}/events`,
          `POST /${kind}s/{${kind}_id}/runs/{run_id}/resume`,
          `POST /${kind}s/{${kind}_id}/runs/{run_id}/continue`,
          `POST /${kind}s/{${kind}_id}/runs/{run_id}/messages`,
          ...["POST", "GET", "DELETE"].map((method) => `${method} /${kind}s/{${kind}_id}/runs/{run_id}/feedback`),
        ]),
        ...["GET /sessions", "POST /sessions", "DELETE /sessions"],
        ...["GET", "PATCH", "DELETE"].map((method) => `${method} /sessions/{session_id}`),
        ...["GET /sessions/{session_id}/runs", "GET /sessions/{session_id}/runs/{run_id}"],
        "POST /sessions/{session_id}/rename",
        ...["GET /approvals", "GET /approvals/count", "GET /approvals/{approval_id}/status"],
        ...["GET /approvals/{approval_id}", "DELETE /approvals/{approval_id}", "POST /approvals/{approval_id}/resolve"],
        ...["GET /schedules", "POST /schedules"],
        ...["GET /definitions", "GET /feedback", "GET /datasets", "POST /datasets"],
        ...["GET", "PATCH", "DELETE"].map((method) => `${method} /datasets/{dataset_id}`),
        ...["POST /datasets/{dataset_id}/rows", "DELETE /datasets/{dataset_id}/rows/{row_id}"],
        ...["GET /experiments", "POST /experiments", "GET /experiments/{experiment_id}"],
        ...["POST /experiments/{experiment_id}/cancel", "DELETE /experiments/{experiment_id}"],
        "GET /usage",
        ...["GET /traces", "POST /traces/search", "GET /traces/filter-schema", "GET /traces/{trace_id}"],
        ...["GET /trace_session_stats", "GET /traces/stats"],
        ...["GET /metrics", "POST /metrics/refresh"],
        ...["GET /registry", "POST /databases/all/migrate", "POST /databases/{db_id}/migrate"],
        "DELETE /users/{user_id}/data",
        ...["GET /webhooks/deliveries", "GET /webhooks/deliveries/{delivery_id}"],
        "POST /webhooks/deliveries/{delivery_id}/replay",
        ...["GET /memories", "POST /memories", "DELETE /memories", "GET /memory_topics", "GET /user_memory_stats"],
        "POST /optimize-memories",
        ...["GET", "PATCH", "DELETE"].map((method) => `${method} /memories/{memory_id}`),
        ...["GET /learnings", "POST /learnings", "GET /learnings/users", "DELETE /learnings/users/{user_id}"],
        ...["GET", "PATCH", "DELETE"].map((method) => `${method} /learnings/{learning_id}`),
        ...["GET", "POST", "DELETE"].map((method) => `${method} /eval-runs`),
        ...["GET", "PATCH"].map((method) => `${method} /eval-runs/{eval_run_id}`),
        "GET /knowledge",
        ...["POST", "GET", "DELETE"].map((method) => `${method} /knowledge/content`),
        ...["GET", "PATCH", "DELETE"].map((method) => `${method} /knowledge/content/{content_id}`),
        ...["status", "chunks", "citations"].map((part) => `GET /knowledge/content/{content_id}/${part}`),
        ...["retry", "cancel"].map((action) => `POST /knowledge/content/{content_id}/${action}`),
        ...["POST /knowledge/search", "POST /knowledge/remote-content", "GET /knowledge/config"],
        ...["GET /knowledge/{knowledge_id}/sources", "GET /knowledge/{knowledge_id}/sources/{source_id}/files"],
        ...["GET /components", "POST /components", "POST /components/{component_id}/unset-current"],
        ...["GET", "PATCH", "DELETE"].flatMap((method) => [
          `${method} /components/{component_id}`,
          `${method} /components/{component_id}/configs/{version}`,
        ]),
        ...["GET /components/{component_id}/configs", "POST /components/{component_id}/configs"],
        ...["GET /components/{component_id}/configs/current", "GET /components/{component_id}/export"],
        "POST /components/import",
        "POST /components/{component_id}/configs/{version}/set-current",
        ...["GET /connections", "POST /connections/{provider}/links", "DELETE /connections/{provider}"],
        ...["GET", "PATCH", "DELETE"].map((method) => `${method} /schedules/{schedule_id}`),
        ...["enable", "disable", "trigger"].map((action) => `POST /schedules/{schedule_id}/${action}`),
        ...["GET /schedules/{schedule_id}/runs", "GET /schedules/{schedule_id}/runs/{run_id}"],
        ...["agents", "teams", "workflows"].flatMap((kind) => [
          `GET /a2a/${kind}/{id}/.well-known/agent-card.json`,
          `POST /a2a/${kind}/{id}/v1/message:send`,
          `POST /a2a/${kind}/{id}/v1/message:stream`,
        ]),
        ...["agents", "teams"].flatMap((kind) =>
          ["get", "cancel"].map((action) => `POST /a2a/${kind}/{id}/v1/tasks:${action}`),
        ),
        ...["POST /a2a/message/send", "POST /a2a/message/stream"],
        ...["agent", "team"].flatMap((kind) => [
          `GET /${kind}s/{${kind}_id}/runs/{run_id}/checkpoints`,
          `GET /${kind}s/{${kind}_id}/runs/{run_id}/checkpoints/{message_index}`,
          `POST /${kind}s/{${kind}_id}/sessions/{session_id}/fork`,
        ]),
      ].sort(),
    );
  });

  test("[V1] declares event streams for start, resume, continue, message:stream and the events of a run only, and no webhooks", () => {
    const streams = operations.filter(({ operation }) =>
      Object.values(operation.responses).some(({ content }) => content && "text/event-stream" in content),
    );
    const kinds = ["agent", "team", "workflow"].flatMap((kind) => [
      ...["", "/{run_id}/resume", "/{run_id}/continue"].map((rest) => `POST /${kind}s/{${kind}_id}/runs${rest}`),
      `GET /${kind}s/{${kind}_id}/runs/{run_id}/events`,
      `POST /a2a/${kind}s/{id}/v1/message:stream`,
    ]);
    expect(streams.map(({ name }) => name).sort()).toEqual([...kinds, "POST /a2a/message/stream"].sort());
    expect(ours).not.toHaveProperty("webhooks");
    expect(operations.filter(({ operation }) => "callbacks" in operation)).toEqual([]);
  });

  test("gives every operation a unique id", () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(ids.filter((id, place) => ids.indexOf(id) !== place)).toEqual([]);
  });

  test("[R24] declares resume with no credential or a bearer token", () => {
    const resume = ours.paths["/teams/{team_id}/runs/{run_id}/resume"]?.post;
    expect(resume?.security).toEqual([{}, { HTTPBearer: [] }]);
  });

  test("[R2] declares team_id and run_id as required path strings", () => {
    const resume = ours.paths["/teams/{team_id}/runs/{run_id}/resume"]?.post;
    const inPath = resume?.parameters?.filter((parameter) => parameter.in === "path");
    expect(inPath?.map(({ name, required, schema }) => [name, required, schema.type])).toEqual([
      ["team_id", true, "string"],
      ["run_id", true, "string"],
    ]);
  });

  test("declares the event stream and every published error status for resume", () => {
    const responses = ours.paths["/teams/{team_id}/runs/{run_id}/resume"]?.post?.responses ?? {};
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(["200", "400", "401", "403", "404", "422", "500"]));
    expect(Object.keys(responses["200"]?.content ?? {})).toContain("text/event-stream");
  });

  test("[A47] declares the message, headers and published error statuses of A2A, and its stream without a schema", () => {
    const stream = ours.paths["/a2a/teams/{id}/v1/message:stream"]?.post;
    expect(stream?.security).toEqual([{ HTTPBearer: [] }]);
    expect(stream?.parameters?.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["id", "Authorization", "X-User-ID", "A2A-Version", "Last-Event-ID"]),
    );
    expect(stream?.requestBody).toEqual({
      required: true,
      content: { "application/json": { schema: { $ref: "#/components/schemas/SendStreamingMessageRequest" } } },
    });
    expect(Object.keys(stream?.responses ?? {})).toEqual(expect.arrayContaining(["200", "401", "403", "422", "500"]));
    expect(stream?.responses["200"]?.content?.["text/event-stream"]).toEqual({});
    expect(JSON.stringify(ours)).not.toContain('"text/event-stream":{"schema"');
  });
});
