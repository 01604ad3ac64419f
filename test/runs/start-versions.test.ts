/** The version that a start names, on each surface that can name one: which versions are rejected, and which component the request is checked against. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { defineAgent } from "../../src/define/agent.ts";
import { agentFactory } from "../../src/define/factory.ts";
import { defineKnowledge } from "../../src/define/knowledge.ts";
import { defineWorkflow } from "../../src/define/workflow/workflow.ts";
import { lexicalEmbedder } from "../../src/knowledge/lexical-embedder.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { eachDatabase } from "../support/databases.ts";
import { eventually } from "../support/eventually.ts";
import { openServer } from "../support/open-server.ts";
import { SocketClient } from "../support/socket-client.ts";
import { makePair, token } from "../support/tokens.ts";
import { send } from "../trials/send.ts";

const [pair, other] = [makePair(), makePair()];
const clerk = defineAgent({ id: "clerk", model: scriptedModel(({ system }) => `I am told: ${system}`) });
const made = agentFactory({ id: "made", build: () => clerk });
const flow = defineWorkflow({ id: "flow", steps: [clerk] });
const bearer = (scopes: readonly string[]): string => token({ sub: scopes.join(), scopes }, pair);
const starts = ["agents:run", "workflows:run", "evals:write", "schedules:write"];
const writer = bearer([...starts, "components:write"]);
const runner = bearer(starts);

eachDatabase("the version of a start", (openDatabase) => {
  test("a start of a draft by a caller who may not write components is a 403 on each surface", async () => {
    const authorization = { verificationKeys: [pair.pem] };
    await using server = await openServer(await openDatabase(), { agents: [clerk], workflows: [flow], authorization });
    const draft = { config: { description: "draft" } };
    expect((await send(server, "POST", "/components/clerk/configs", draft, writer)).status).toBe(201);
    expect((await send(server, "POST", "/components/flow/configs", draft, writer)).status).toBe(201);
    const detail = "Config clerk v1 is a draft: only callers who may write components can start it.";
    const dataset = await send(server, "POST", "/datasets", { name: "d", rows: [{ input: "x" }] }, runner);
    const experiment = { dataset_id: dataset.body.id, component_type: "agent", component_id: "clerk", version_b: 1 };
    const schedule = { name: "daily", cron_expr: "0 8 * * *", endpoint: "/agents/clerk/runs", method: "POST" };
    for (const [path, body] of [
      ["/agents/clerk/runs", { message: "x", version: "1", background: true, stream: false }],
      ["/agents/clerk/runs", { message: "x", version: "1" }],
      ["/experiments", experiment],
      ["/schedules", { ...schedule, payload: { message: "x", version: "1" } }],
    ] as const) {
      const refused = await send(server, "POST", path, body, runner);
      expect([path, refused.status, refused.body.detail]).toEqual([path, 403, detail]);
    }
    expect((await send(server, "POST", "/schedules", { ...schedule, payload: { message: "x" } }, runner)).status).toBe(
      201,
    );
    const form = new FormData();
    for (const [name, value] of Object.entries({ message: "x", version: "1", stream: "false" })) form.set(name, value);
    expect((await send(server, "POST", "/agents/clerk/runs", form, runner)).status).toBe(403);
    const start = { action: "start-workflow", workflow_id: "flow", message: "x", version: 1 };
    const connect = async (who: string): Promise<SocketClient> => {
      const socket = await SocketClient.open(server.client.address);
      socket.send({ action: "authenticate", token: who });
      await socket.event("authenticated");
      return socket;
    };
    const socket = await connect(runner);
    socket.send(start);
    expect((await socket.event("error")).error).toContain("Config flow v1 is a draft");
    socket.close();
    const permitted = await connect(writer);
    permitted.send(start);
    expect(await permitted.event("WorkflowStarted")).toMatchObject({ component_version: 1 });
    await permitted.event("WorkflowCompleted");
    permitted.close();
  });

  test("a schedule of a draft is a 403 for every caller, because its fires may start runs only", async () => {
    const authorization = { verificationKeys: [pair.pem] };
    await using server = await openServer(await openDatabase(), { agents: [clerk], authorization });
    for (const stage of ["published", "draft"])
      await send(server, "POST", "/components/clerk/configs", { config: {}, stage }, writer);
    const schedule = (name: string, version: string, caller: string) =>
      send(
        server,
        "POST",
        "/schedules",
        {
          ...{ name, cron_expr: "0 8 * * *", endpoint: "/agents/clerk/runs", method: "POST" },
          payload: { message: "x", version },
        },
        caller,
      );
    const detail = "Config clerk v2 is a draft: only callers who may write components can start it.";
    for (const caller of [writer, bearer(["agent_os:admin"])])
      expect(await schedule("draft", "2", caller)).toMatchObject({ status: 403, body: { detail } });
    expect((await schedule("published", "1", writer)).status).toBe(201);
  });

  test("an eval and an experiment of a draft start their runs with the permission of the second issuer's caller", async () => {
    const keys = createServer((_, response) => response.end(JSON.stringify({ keys: [other.jwk] })));
    await new Promise<void>((resolve) => keys.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void keys.close());
    const iss = `http://127.0.0.1:${(keys.address() as AddressInfo).port}`;
    const scopeMappings = { "POST /components/{component_id}/configs": ["editor"] };
    const issuer = { issuer: iss, jwksUrl: `${iss}/keys`, audience: "api", scopeMappings };
    const authorization = { verificationKeys: [pair.pem], issuers: [issuer] };
    await using server = await openServer(await openDatabase(), { agents: [clerk], authorization });
    const scopes = [...starts, "evals:read", "editor"];
    const editor = token({ sub: "eve", iss, aud: "api", scopes }, other);
    expect((await send(server, "POST", "/components/clerk/configs", { config: {} }, editor)).status).toBe(201);
    const measured = { eval_type: "reliability", agent_id: "clerk", input: "x", expected_tool_calls: [], version: 1 };
    const evaluated = await send(server, "POST", "/eval-runs", { ...measured, background: true }, editor);
    expect(evaluated.status).toBe(202);
    const dataset = await send(server, "POST", "/datasets", { name: "d", rows: [{ input: "x" }] }, editor);
    const compared = { dataset_id: dataset.body.id, component_type: "agent", component_id: "clerk", version_b: 1 };
    const experiment = await send(server, "POST", "/experiments", compared, editor);
    expect(experiment.status).toBe(202);
    await eventually(async () => {
      const read = async (path: string) => (await send(server, "GET", path, undefined, editor)).body;
      expect(await read(`/eval-runs/${evaluated.body.id}`)).toMatchObject({ status: "COMPLETED", passed: true });
      expect(await read(`/experiments/${experiment.body.id}`)).toMatchObject({ status: "completed", error: null });
    });
  });

  test("the code of a component that a factory builds, and a version that does not exist, are rejected before anything is stored", async () => {
    await using server = await openServer(await openDatabase(), { agents: [clerk, made] });
    const dataset = await send(server, "POST", "/datasets", { name: "d", rows: [{ input: "x" }] });
    const fields = { dataset_id: dataset.body.id, component_type: "agent" };
    const compare = (component_id: string, version_a: unknown) =>
      send(server, "POST", "/experiments", { ...fields, component_id, version_a });
    const detail = 'Agent "made" has no versions to select, because a factory builds it: omit the version.';
    expect(await compare("made", "code")).toMatchObject({ status: 422, body: { detail } });
    expect((await compare("made", 1)).status).toBe(404);
    const start = { message: "x", stream: false, background: true, version: "code" };
    expect(await send(server, "POST", "/agents/made/runs", start)).toMatchObject({ status: 422, body: { detail } });
    await send(server, "POST", "/components", { name: "Poet", component_type: "agent", config: {} });
    expect((await compare("poet", "code")).status).toBe(404);
    await send(server, "POST", "/components/clerk/configs", { config: {}, stage: "published" });
    const schedule = (version: string) =>
      send(server, "POST", "/schedules", {
        ...{ name: version, cron_expr: "0 8 * * *", endpoint: "/agents/clerk/runs", method: "POST" },
        payload: { message: "x", version },
      });
    expect(await schedule("2")).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["body", "payload", "version"], msg: "Value error, Config clerk v2 not found" }] },
    });
    expect((await schedule("1")).status).toBe(201);
  });

  test("filters of searches are checked against the chosen version, not against the version that runs use", async () => {
    const manual = defineKnowledge({ id: "manual", embedder: lexicalEmbedder() });
    const librarian = defineAgent({ id: "librarian", model: clerk.model, knowledge: [manual] });
    await using server = await openServer(await openDatabase(), { agents: [clerk, librarian] });
    const start = (version: string) =>
      send(server, "POST", "/agents/clerk/runs", {
        ...{ message: "x", stream: false, background: true, version },
        knowledge_filters: [{ op: "NOPE" }],
      });
    for (const config of [{}, { knowledge: ["manual"] }, {}])
      await send(server, "POST", "/components/clerk/configs", { config, stage: "published" });
    expect((await start("1")).status).toBe(202);
    expect(await start("2")).toMatchObject({
      status: 400,
      body: { detail: expect.stringMatching(/^knowledge_filters/) },
    });
  });
});
