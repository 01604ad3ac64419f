/** A message that does not match its workflow's input schema: every surface rejects it, and no run is stored. */
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { definePlatform } from "../../src/define/platform.ts";
import { step } from "../../src/define/workflow/steps.ts";
import { defineWorkflow } from "../../src/define/workflow/workflow.ts";
import { refuseMisfit } from "../../src/engine/loops/workflow/input.ts";
import { postJson, request } from "../conformance/support/a2a.ts";
import type { Client } from "../conformance/support/client.ts";
import { startServer } from "../conformance/support/server.ts";
import { eachDatabase, type TestDatabase } from "../support/databases.ts";
import { SocketClient } from "../support/socket-client.ts";

const input = z.object({ n: z.number(), of: z.array(z.string()).optional() });
const flow = defineWorkflow({ id: "flow", input, steps: [step({ name: "a", run: () => "ran" })] });
const outer = defineWorkflow({ id: "outer", steps: [step({ name: "in", workflow: flow })] });

const path = "/workflows/flow/runs";
const fault = "Invalid input: expected number, received string";
const text = `body.message.n: ${fault}`;
const misfit = '{"n":"four"}';

async function serve(database: TestDatabase): Promise<{ client: Client; warned: string[] }> {
  const warned: string[] = [];
  const say = (_: unknown, what: string) => void warned.push(what);
  const log = { debug: () => undefined, info: () => undefined, warn: say, error: say };
  const platform = definePlatform({ id: "test", workflows: [flow, outer] });
  const { server, client } = await startServer(database, platform, { log });
  onTestFinished(() => server.close({ shutdownTimeout: 0 }));
  return { client, warned };
}

eachDatabase("a message that does not match its workflow's input schema", (openDatabase) => {
  test("returns 422 for foreground, stream and background starts, stores no run and logs no warning", async () => {
    const { client, warned } = await serve(await openDatabase());
    for (const how of [{ stream: false }, { stream: true }, { stream: false, background: true }]) {
      const refused = await client.post(path, { message: misfit, session_id: "s", ...how });
      expect([refused.status, refused.json]).toEqual([422, { detail: text, error_code: "VALIDATION_ERROR" }]);
      expect(refused.headers["x-run-id"]).toBeUndefined();
    }
    const deep = await client.post(path, { message: '{"n":1,"of":["a",2,{}]}', stream: false });
    expect(deep.json.detail).toMatch(/^body\.message\.of\.1: .*; body\.message\.of\.2: /);
    const none = await client.post(path, { message: "hi", stream: false });
    expect([none.status, none.json.detail]).toEqual([422, "body.message: Invalid JSON: not a JSON text"]);
    expect((await client.get(path)).json).toEqual([]);
    expect((await client.get("/sessions?type=workflow")).json.data).toEqual([]);
    expect(warned).toEqual([]);
  });

  test("is rejected over A2A, over the web socket and in a schedule's fire, with the same error text", async () => {
    const { client } = await serve(await openDatabase());
    const refused = await postJson(client, "/a2a/workflows/flow/v1/message:send", request(misfit));
    const loc = ["body", "params", "message", "n"];
    expect([refused.status, refused.json.detail]).toMatchObject([422, [{ type: "value_error", loc }]]);
    const said = { kind: "message", role: "user", messageId: "m", parts: [{ kind: "text", text: misfit }] };
    const rpc = { jsonrpc: "2.0", id: 1, method: "message/send", params: { message: said } };
    const standard = await postJson(client, "/a2a/workflows/flow", rpc);
    expect(standard.json.error).toMatchObject({ code: -32602, message: text });
    const socket = await SocketClient.open(client.base);
    onTestFinished(() => socket.close());
    await socket.event("connected");
    const start = { action: "start-workflow", workflow_id: "flow", message: { n: "four" } };
    expect(await socket.ask(start)).toEqual({ event: "error", error: text });
    const schedule = { name: "n", cron_expr: "@yearly", endpoint: path, method: "POST", payload: { message: misfit } };
    const { json: made } = await postJson(client, "/schedules", schedule);
    const { json: fire } = await postJson(client, `/schedules/${made.id}/trigger`, {});
    expect(fire).toMatchObject({ status: "failed", status_code: 422, error: expect.stringContaining(text) });
    expect((await client.get(path)).json).toEqual([]);
  });

  test("fails the outer run when a step passes it to an inner workflow", async () => {
    const { client } = await serve(await openDatabase());
    const run = await client.post("/workflows/outer/runs", { message: misfit, stream: false });
    expect([run.status, run.json.status]).toEqual([500, "ERROR"]);
    expect(run.json.detail).toMatch(/The step in failed: The input of flow does not fit:\n- n: /);
  });
});

test("a message is read as text for a text schema, else as JSON of a bounded depth", async () => {
  const told = (shape: z.ZodType, message: string) =>
    refuseMisfit({ input: shape }, message).then(
      () => "fits",
      ({ message: why }: Error) => why,
    );
  expect(await told(z.string().max(3), "1234")).toMatch(/body\.message: Too big/);
  expect(await told(z.enum(["a", "b"]), "c")).toMatch(/body\.message: Invalid option/);
  expect(await told(z.literal([1, 2]), "2")).toBe("fits");
  expect(await told(z.union([z.string().max(1), z.object({ n: z.number() })]), '{"n":1}')).toBe("fits");
  expect(
    await told(
      z.string().transform((one, ctx) => ctx.addIssue("no good") ?? one),
      "{}",
    ),
  ).toMatch(/no good/);
  const deep = `${"[".repeat(1_000)}${"]".repeat(1_000)}`;
  expect(await told(z.array(z.json()), deep)).toBe("body.message: Invalid JSON: nested deeper than 128 levels");
  expect(await told(z.array(z.json()), "[[]]")).toBe("fits");
});
