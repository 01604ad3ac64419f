/** Live and paused runs whose component new runs cannot use: drafts, and components that were deleted meanwhile. Each route finds them by the run. */
import { expect, test } from "vitest";
import { z } from "zod";
import { defineAgent, defineTool, piiRedaction } from "../../src/index.ts";
import { type ScriptedCall, scriptedModel } from "../../src/testing/index.ts";
import { Raw, said03 } from "../a2a/support/raw.ts";
import { eachDatabase } from "../support/databases.ts";
import { eventually } from "../support/eventually.ts";
import { Gate } from "../support/gate.ts";
import { openServer } from "../support/open-server.ts";
import { SocketClient } from "../support/socket-client.ts";
import { send } from "../trials/send.ts";

/** The user messages of a prompt. */
function heard({ prompt }: ScriptedCall): string {
  const texts = prompt.flatMap((message) => (message.role === "user" ? message.content : []));
  return texts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join(" / ");
}

/** A platform whose tool waits at a gate. */
function office(gate: Gate) {
  const wait = defineTool({
    ...{ name: "wait", description: "Waits.", input: z.object({}) },
    execute: () => gate.pass(),
  });
  const model = scriptedModel((call) =>
    call.results.length === 0 ? { toolCalls: [{ name: "wait" }] } : `Heard: ${heard(call)}`,
  );
  const clerk = defineAgent({ id: "clerk", model, tools: [wait] });
  return { agents: [clerk], parts: { guardrails: [piiRedaction()] } };
}

eachDatabase("a run whose component new runs cannot use", (openDatabase) => {
  test("takes messages over HTTP, AI SDK UI and A2A: the run of a draft, also after the component was deleted", async () => {
    const gate = new Gate();
    await using server = await openServer(await openDatabase(), office(gate));
    const poet = { name: "Poet", component_type: "agent", config: { tools: ["wait"] } };
    expect((await send(server, "POST", "/components", poet)).status).toBe(201);
    const fields = { message: "one", session_id: "s", stream: false, background: true };
    const { status, body: run } = await send(server, "POST", "/agents/poet/runs", { ...fields, version: "1" });
    expect(status).toBe(202);
    await gate.crowd(1);
    const messages = `/agents/poet/runs/${run.run_id}/messages`;
    expect((await send(server, "POST", messages, { message: "two", session_id: "s" })).status).toBe(202);
    expect((await send(server, "DELETE", "/components/poet")).status).toBe(204);
    expect((await send(server, "POST", messages, { message: "three", session_id: "s" })).status).toBe(202);
    const raw = new Raw(() => server.client.address.origin);
    const parts = [{ kind: "data", data: { n: 4 } }];
    const said = said03("", { taskId: run.run_id, contextId: "s", parts }, { blocking: false });
    expect((await raw.call("message/send", said, "/a2a/agents/poet")).json.error).toBeUndefined();
    const message = { id: "m", role: "user", parts: [{ type: "text", text: "five" }] };
    const chat = await fetch(new URL("/ui/agents/poet", server.client.address), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ id: "s", trigger: "submit-message", message }),
    });
    expect([chat.status, chat.headers.get("x-run-id")]).toEqual([200, run.run_id]);
    gate.open();
    await chat.text();
    await eventually(async () => {
      const record = await send(server, "GET", `/agents/poet/runs/${run.run_id}?session_id=s`);
      expect(record.body).toMatchObject({ status: "COMPLETED", component_version: 1 });
      expect(record.body.content).toMatch(/^Heard: one \/ two \/ three \/ .*4.* \/ five$/);
    });
    expect((await send(server, "POST", "/agents/poet/runs", fields)).status).toBe(404);
    const unknown = await send(server, "POST", "/agents/poet/runs/none/messages", { message: "x", session_id: "s" });
    expect(unknown.status).toBe(404);
  });

  test("redacts a message with the guardrails of the version that it began with, although its component was deleted", async () => {
    const gate = new Gate();
    await using server = await openServer(await openDatabase(), office(gate));
    const version = { config: { guardrails: ["piiRedaction"] }, stage: "published" };
    expect((await send(server, "POST", "/components/clerk/configs", version)).status).toBe(201);
    const fields = { message: "one", session_id: "s", stream: false, background: true };
    const { run_id: runId } = (await send(server, "POST", "/agents/clerk/runs", fields)).body;
    await gate.crowd(1);
    expect((await send(server, "DELETE", "/components/clerk")).status).toBe(204);
    const messages = `/agents/clerk/runs/${runId}/messages`;
    const mail = { message: "write to ann@example.com", session_id: "s" };
    expect((await send(server, "POST", messages, mail)).status).toBe(202);
    gate.open();
    await eventually(async () => {
      const { body } = await send(server, "GET", `/agents/clerk/runs/${runId}?session_id=s`);
      expect(body.status).toBe("COMPLETED");
      expect(JSON.stringify(body)).toContain("write to");
      expect(JSON.stringify(body)).not.toContain("ann@example.com");
    });
  });

  test("continues over the web socket after its workflow was deleted, and another one is cancelled", async () => {
    const hosted = office(new Gate());
    const functions = { greet: () => "hello" };
    await using server = await openServer(await openDatabase(), {
      ...hosted,
      parts: { ...hosted.parts, functions },
    });
    const steps = [{ name: "ask", run: "greet", confirm: "Go on?" }];
    const flow = { name: "Flow", component_type: "workflow", config: { steps }, stage: "published" };
    expect((await send(server, "POST", "/components", flow)).status).toBe(201);
    const begin = async (session_id: string) => {
      const fields = { message: "x", session_id, stream: false };
      const { status, body } = await send(server, "POST", "/workflows/flow/runs", fields);
      expect([status, body.status]).toEqual([200, "PAUSED"]);
      return body;
    };
    const [run, other] = [await begin("s"), await begin("t")];
    expect((await send(server, "DELETE", "/components/flow")).status).toBe(204);
    const socket = await SocketClient.open(server.client.address);
    await socket.event("connected");
    const step_requirements = [{ ...run.step_requirements[0], confirmed: true }];
    const given = { workflow_id: "flow", session_id: "s", run_id: run.run_id, step_requirements };
    socket.send({ action: "continue-workflow", ...given });
    expect(await socket.event("WorkflowCompleted")).toMatchObject({ content: "hello" });
    expect((await socket.ask({ action: "continue-workflow", ...given, workflow_id: "nope" })).error).toBe(
      "Workflow nope not found",
    );
    socket.close();
    const one = `/workflows/flow/runs/${other.run_id}`;
    expect((await send(server, "POST", `${one}/cancel?session_id=t`)).status).toBe(200);
    await eventually(async () =>
      expect((await send(server, "GET", `${one}?session_id=t`)).body.status).toBe("CANCELLED"),
    );
  });
});
