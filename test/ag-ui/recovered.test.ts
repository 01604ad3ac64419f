/** A run that another process takes over: the guide's subscriber removes the text that is generated again. */
import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { type AgentSubscriber, HttpAgent } from "@ag-ui/client";
import { expect, test } from "vitest";
import { EventForm } from "../../src/engine/run/event-form.ts";
import { beginning } from "../../src/http/streams/frame-cursor.ts";
import { agUiStream } from "../../src/interfaces/ag-ui/stream.ts";
import { encodeFrames } from "../../src/model/frame.ts";

const runId = "11111111-1111-4111-8111-111111111111";
const memberId = "22222222-2222-4222-8222-222222222222";
const clock = { now: () => 1_763_000_000_000 } as ConstructorParameters<typeof EventForm>[0];
const formOf = (id: string, ownId: string, parentRunId?: string): EventForm =>
  new EventForm(clock, { component: { kind: "agent", id, name: id }, runId: ownId, parentRunId, sessionId: "s" });
const own = formOf("a", runId);
const member = formOf("m", memberId, runId);

/** The subscriber in the guide. */
async function recovering(): Promise<AgentSubscriber> {
  const guide = readFileSync(new URL("../../docs/ag-ui.md", import.meta.url), "utf8");
  const [code] = /const recovering: AgentSubscriber = [\s\S]*?\n};\n/.exec(guide) ?? [""];
  const script = stripTypeScriptTypes(`${code}export default recovering;`);
  const module = (await import(`data:text/javascript,${encodeURIComponent(script)}`)) as { default: AgentSubscriber };
  return module.default;
}

test("the stock client has each text once after a takeover, with the subscriber of the guide", async () => {
  const steps: [EventForm, string, Record<string, unknown>][] = [
    [own, "RunStarted", {}],
    [own, "ModelRequestStarted", {}],
    [own, "RunContent", { content: "Kept. " }],
    [own, "ModelRequestCompleted", {}],
    [member, "RunStarted", {}],
    [member, "RunContent", { content: "Member's, kept." }],
    [member, "RunContentCompleted", {}],
    [own, "ModelRequestStarted", {}],
    [own, "RunContent", { reasoning_content: "void thought" }],
    [own, "RunContent", { content: "void" }],
    [own, "RunContent", { content: " text" }],
    [own, "RunRecovered", { attempt: 2, discard_from_index: 7 }],
    [own, "ModelRequestStarted", {}],
    [own, "RunContent", { content: "Written again." }],
    [own, "RunCompleted", { content: "Written again." }],
  ];
  const bytes = Buffer.concat(
    steps.map(([form, name, fields], index) => encodeFrames(index, [form.make(name, fields)])),
  );
  const agent = new HttpAgent({
    url: "http://127.0.0.1/agui",
    threadId: "s",
    fetch: (_, { body }) => {
      const request = JSON.parse(String(body)) as { runId: string };
      const segment = { threadId: "s", runId: request.runId, ownRunId: runId, state: {}, isCurrent: true, from: -1 };
      const stream = agUiStream({ follow: () => async function* nothing() {} }, { runId, key: 1 }, segment, beginning);
      const written = stream.translate({ kind: "frames", first: 0, last: steps.length - 1, bytes });
      return Promise.resolve(new Response(written.join(""), { headers: { "content-type": "text/event-stream" } }));
    },
  });
  agent.subscribe(await recovering());
  agent.addMessage({ id: "user-1", role: "user", content: "Hello" });
  await agent.runAgent();
  expect(agent.messages.map(({ content }) => content)).toEqual([
    "Hello",
    "Kept. ",
    "Member's, kept.",
    "Written again.",
  ]);
});
