/** The view of a run in the chat, as a function of its log. */
import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { createClient, type RunEvent } from "../../client/index.ts";
import {
  answerOf,
  emptyView,
  nextView,
  type RunView,
  totalTokens,
  viewOf,
} from "../../console/src/screens/chat/run-view.ts";
import { defineAgent } from "../../src/define/agent.ts";
import { definePlatform } from "../../src/define/platform.ts";
import { defineTeam } from "../../src/define/team.ts";
import { defineTool } from "../../src/define/tool.ts";
import { createServer } from "../../src/platform/server.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { silentLog } from "../support/runtime.ts";

const look = defineTool({
  name: "look",
  description: "Looks something up",
  input: z.object({ what: z.string() }),
  execute: ({ what }) => `found ${what}`,
});
const member = (id: string) =>
  defineAgent({
    id,
    role: `Member ${id}`,
    tools: [look],
    model: scriptedModel(({ results: [result] }) =>
      result
        ? { reasoning: `thoughts of ${id}`, text: `${id} says: ${result.text}` }
        : { toolCalls: [{ name: "look", input: { what: id } }] },
    ),
  });
const delegate = (id: string) => ({ name: "delegate_task_to_member", input: { member_id: id, task: `Ask ${id}` } });
const desk = defineTeam({
  id: "desk",
  name: "Desk",
  mode: "coordinate",
  members: [member("ann"), member("bob")],
  model: scriptedModel(({ results }) =>
    results.length === 0
      ? { text: "One moment. ", toolCalls: [delegate("ann"), delegate("bob")] }
      : { text: "All is known." },
  ),
});

describe("the view of a run", () => {
  let log: readonly RunEvent[];
  let content: unknown;

  beforeAll(async () => {
    const platform = definePlatform({ id: "views", teams: [desk] });
    const server = await createServer(platform, { dataDir: ":memory:", port: 0, log: silentLog });
    try {
      const run = await createClient({ url: await server.listen() })
        .team("desk")
        .start("Hello");
      const events: RunEvent[] = [];
      for await (const event of run) events.push(event);
      log = events;
      ({ content } = await run.result());
    } finally {
      await server.close({ shutdownTimeout: 0 });
    }
  });

  test("counts the tokens of a team with those of its members", () => {
    const tokens = log.flatMap((event) => {
      if (!event.event.endsWith("ModelRequestCompleted")) return [];
      const { input_tokens: input, output_tokens: output } = event as { input_tokens?: number; output_tokens?: number };
      return (input ?? 0) + (output ?? 0);
    });
    // The team and each member have two requests.
    expect(tokens).toHaveLength(6);
    expect(totalTokens(viewOf(log))).toBe(tokens.reduce((sum, one) => sum + one, 0));
    expect(totalTokens(viewOf(log.slice(0, -1)))).toBeUndefined();
  });

  test("nests members below the call that delegates to them, with their tool calls, reasoning and text", () => {
    const view = viewOf(log);
    const root = view.nodes[view.rootId ?? ""];
    expect(root?.status).toBe("completed");
    expect(root?.items.map(({ type }) => type)).toEqual(["text", "tool", "tool", "text"]);
    const members = root?.items.flatMap((item) => (item.type === "tool" ? [view.nodes[item.childRunId ?? ""]] : []));
    expect(members?.map((one) => one?.name)).toEqual(["ann", "bob"]);
    for (const one of members ?? []) {
      expect(one?.items).toEqual([
        expect.objectContaining({ type: "tool", name: "look", status: "completed", args: { what: one?.name } }),
        { type: "reasoning", text: `thoughts of ${one?.name}` },
        { type: "text", text: `${one?.name} says: found ${one?.name}` },
      ]);
    }
  });

  test("shows the text that the completed run has as its content", () => {
    expect(answerOf(viewOf(log))).toBe(content);
  });

  test("is the same wherever the log was cut and resumed", () => {
    const whole = viewOf(log);
    for (let cut = 0; cut <= log.length; cut++) {
      let view: RunView = viewOf(log.slice(0, cut));
      const seen = log.slice(0, cut);
      for (const event of log.slice(cut)) {
        view = nextView(view, seen, event);
        seen.push(event);
      }
      expect(view).toEqual(whole);
    }
    expect(emptyView).toEqual(viewOf([]));
  });

  test("omits the events that a recovery voids, of the recovered run only", () => {
    const runId = log[0]?.run_id ?? "";
    const end = log.length - 1;
    const first = log.findIndex(({ event, run_id: id }) => event === "TeamRunContent" && id === runId);
    const recovery = {
      ...log[0],
      event: "TeamRunRecovered",
      attempt: 2,
      discard_from_index: first,
    } as unknown as RunEvent;
    const crashed = log.slice(0, end);
    const again = log.filter(({ run_id: id }, at) => id === runId && at >= first);
    const whole = [...crashed, recovery, ...again].map((event, index) => ({ ...event, event_index: index }));
    expect(answerOf(viewOf(whole))).toBe(content);
    let view = emptyView;
    whole.forEach((event, at) => {
      view = nextView(view, whole.slice(0, at), event);
    });
    expect(view).toEqual(viewOf(whole));
  });
});
