/** Teams in task mode: the shared task list, its events, iterations, pauses, and other processes that take a run over. */
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { type Agent, defineAgent } from "../../src/define/agent.ts";
import { defineTeam, type TeamOptions } from "../../src/define/team.ts";
import { defineTool } from "../../src/define/tool.ts";
import { taskIdOf, taskListOf } from "../../src/engine/loops/tasks/task-list.ts";
import type { ToolMessage } from "../../src/model/run/message.ts";
import { type Script, type ScriptedToolCall, scriptedModel } from "../../src/testing/index.ts";
import { eachDatabase, type TestDatabase } from "../support/databases.ts";
import { Gate } from "../support/gate.ts";
import { openServer } from "../support/open-server.ts";

const create = (id: string, title: string, more: object = {}): ScriptedToolCall => ({
  ...{ name: "create_task", id },
  input: { title, description: `Do ${title}.`, assignee: "writer", ...more },
});
const execute = (id: string, task: string, more: object = {}): ScriptedToolCall => ({
  ...{ name: "execute_task", id },
  input: { task_id: taskIdOf(task), ...more },
});
const complete = (summary = "All done."): ScriptedToolCall => ({ name: "mark_all_complete", input: { summary } });

function writer(script: Script = ({ message }) => `wrote: ${message.split("\n")[0]}`, more: object = {}): Agent {
  return defineAgent({ id: "writer", role: "Writes", model: scriptedModel(script), ...more });
}

function crew(script: Script, members: TeamOptions["members"] = [writer()], more: Partial<TeamOptions> = {}) {
  return defineTeam({ id: "crew", mode: "tasks", model: scriptedModel(script), members, ...more });
}

async function open(database: TestDatabase, teams: readonly ReturnType<typeof crew>[]) {
  const server = await openServer(database, { teams });
  onTestFinished(() => server.end(0));
  return server;
}

// biome-ignore lint/suspicious/noExplicitAny: tests read fields of untyped bodies
type Data = any;

/** The task events of a log, without the fields that every event has. */
const tasksIn = (log: readonly { readonly data: Data }[]): readonly Data[] =>
  log
    .map(({ data }) => data)
    .filter(({ event }) => /^TeamTask/.test(event))
    .map(
      ({ created_at, created_at_ms, run_id, session_id, team_id, team_name, nested_depth, event_index, ...rest }) =>
        rest,
    );

const brief = (log: readonly { readonly data: Data }[]): readonly string[] =>
  tasksIn(log).map(({ event, iteration, task_id: id, status, goal_complete: isComplete }) =>
    [event.slice("TeamTask".length), iteration ?? id, status ?? isComplete]
      .filter((part) => part !== undefined)
      .join(" "),
  );

const [a, b, c] = ["a", "b", "c"].map(taskIdOf);

eachDatabase("a team in task mode", (openDatabase) => {
  test("works through tasks with dependencies, and emits the recorded events and fields", async () => {
    const seen: string[] = [];
    const script: Script = ({ results, system }) => {
      seen.push(system);
      if (results.length === 0)
        return {
          toolCalls: [
            create("a", "Research"),
            create("b", "Write", { depends_on: ["research"] }),
            create("c", "Check"),
          ],
        };
      if (results.length === 3) return { toolCalls: [execute("x-b", "b"), execute("x-a", "a"), execute("x-c", "c")] };
      if (results.length === 6) {
        seen.push(results[3]?.text ?? "");
        return { toolCalls: [execute("x-b2", "b"), { name: "list_tasks", id: "l" }] };
      }
      if (results.length === 8) return { toolCalls: [complete("Written and checked.")] };
      return "Here it is.";
    };
    const asked: string[] = [];
    const member = writer(({ message }) => {
      asked.push(message);
      return `wrote: ${message.split("\n")[0]}`;
    });
    const { client } = await open(await openDatabase(), [crew(script, [member])]);
    const stream = await client.start("teams/crew", "Write a report");
    await stream.closed;
    expect(stream.ending?.data).toMatchObject({ event: "TeamRunCompleted", content: "Here it is." });
    const log = await client.log("teams/crew", stream.runId);
    expect(brief(log)).toEqual([
      "IterationStarted 1",
      ...[`Created ${a} pending`, `Created ${b} blocked`, `Created ${c} pending`],
      ...[`Updated ${a} in_progress`, `Updated ${c} in_progress`, `Updated ${a} completed`, `Updated ${c} completed`],
      ...[`Updated ${b} in_progress`, `Updated ${b} completed`],
      ...["IterationCompleted 1", "StateUpdated true"],
    ]);
    expect(log[1]?.data).toMatchObject({
      event: "TeamTaskIterationStarted",
      iteration: 1,
      max_iterations: 10,
      team_id: "crew",
    });
    const events = tasksIn(log);
    expect(events[2]).toEqual({
      ...{ event: "TeamTaskCreated", task_id: b, title: "Write", description: "Do Write.", assignee: "writer" },
      ...{ status: "blocked", dependencies: [a] },
    });
    expect(events[9]).toEqual({
      ...{ event: "TeamTaskUpdated", task_id: b, title: "Write", status: "completed", previous_status: "in_progress" },
      ...{ result: "wrote: Write", assignee: "writer" },
    });
    const task = (id: string | undefined, title: string, dependencies: unknown[] = []) => ({
      ...{ id, title, description: `Do ${title}.`, status: "completed", assignee: "writer", dependencies },
      result: `wrote: ${title}`,
    });
    expect(events.at(-1)).toEqual({
      ...{ event: "TeamTaskStateUpdated", goal_complete: true, completion_summary: "Written and checked." },
      tasks: [task(a, "Research"), task(b, "Write", [a]), task(c, "Check")],
      task_summary: expect.stringContaining("3 tasks (3 completed):"),
    });
    expect(asked.find((text) => text.startsWith("Write"))).toBe(
      'Write\n\nDo Write.\n\nResults of the tasks that this one depends on:\n<result task="Research">\nwrote: Research\n</result>',
    );
    expect(seen[0]).toContain("Work through a list of tasks");
    expect(seen.find((text) => text.includes("depends on tasks"))).toBe(
      `The task [${b}] depends on tasks that are not completed: [${a}] Research (pending).`,
    );
    const record = await client.record("teams/crew", {
      runId: stream.runId,
      sessionId: stream.events[0]?.data.session_id,
    });
    expect(record.member_responses).toHaveLength(3);
    const shown = (await client.get("/teams/crew")).body.tools.tools.map(({ name }: Data) => name);
    expect(shown).toEqual([
      ...["create_task", "execute_task", "update_task_status", "list_tasks", "add_task_note", "mark_all_complete"],
    ]);
  });

  test("goes on while tasks are unfinished, at most maxIterations times, and tells the leader what a call lacks", async () => {
    const messages: string[] = [];
    const errors: string[] = [];
    const script: Script = ({ message, results }) => {
      if (results.length === 0) messages.push(message);
      errors.push(...results.filter(({ isError }) => isError).map(({ text }) => text.split("\n")[0] ?? ""));
      if (message === '"go"' && results.length === 0)
        return { toolCalls: [create("a", "First"), create("b", "Second", { assignee: undefined })] };
      if (message === '"go"' && results.length === 2)
        return {
          toolCalls: [
            create("c", " first "),
            create("d", "Third", { depends_on: ["nothing"] }),
            execute("e", "b"),
            execute("f", "none"),
            { name: "update_task_status", input: { task_id: "none", status: "completed" } },
            { name: "update_task_status", input: { task_id: a, status: "lost" } },
            { name: "add_task_note", input: { task_id: a, note: "Ask Ada." } },
          ],
        };
      return "I stop here.";
    };
    const { client } = await open(await openDatabase(), [crew(script, undefined, { maxIterations: 3 })]);
    const stream = await client.start("teams/crew", "go");
    await stream.closed;
    expect(stream.ending?.event).toBe("TeamRunCompleted");
    expect(brief(stream.events)).toEqual([
      ...[
        "IterationStarted 1",
        `Created ${a} pending`,
        `Created ${b} pending`,
        "IterationCompleted 1",
        "StateUpdated false",
      ],
      ...["IterationStarted 2", "IterationCompleted 2", "StateUpdated false"],
      ...["IterationStarted 3", "IterationCompleted 3", "StateUpdated false"],
    ]);
    expect(messages).toHaveLength(3);
    expect(messages[1]).toContain("Some tasks are not finished.");
    expect(messages[1]).toContain("note: Ask Ada.");
    expect(new Set(errors)).toEqual(
      new Set([
        `There is such a task already: [${a}] First (pending).`,
        'There is no task "nothing" to depend on.',
        "The task has no assignee: specify member_id.",
        `There is no task "${taskIdOf("none")}".`,
        'There is no task "none".',
        "The arguments of update_task_status do not fit:",
      ]),
    );
  });

  test("ends without a list, and after a task that failed the tasks that depend on it have failed", async () => {
    const failing = writer(() => {
      throw new Error("no");
    });
    const script: Script = ({ message, results }) => {
      if (message === '"hello"') return "Hello.";
      if (results.length === 0)
        return { toolCalls: [create("a", "First"), create("b", "Then", { depends_on: ["First"] })] };
      return results.length === 2 ? { toolCalls: [execute("x", "a")] } : "It failed.";
    };
    const { client } = await open(await openDatabase(), [crew(script, [failing])]);
    const plain = await client.start("teams/crew", "hello");
    await plain.closed;
    expect(brief(plain.events)).toEqual(["IterationStarted 1", "IterationCompleted 1", "StateUpdated false"]);
    const stream = await client.start("teams/crew", "go");
    await stream.closed;
    const events = tasksIn(stream.events);
    expect(brief(stream.events).filter((name) => name.startsWith("Updated"))).toEqual([
      `Updated ${a} in_progress`,
      `Updated ${a} failed`,
    ]);
    expect(events.at(-1).tasks.map(({ status, result }: Data) => [status, result?.split(":")[0]])).toEqual([
      ["failed", "writer failed"],
      ["failed", "A task that it depends on failed."],
    ]);
    expect(stream.ending?.data.content).toBe("It failed.");
  });

  test("pauses when a member waits for a person, and continues its task without a second start of it", async () => {
    const pay = defineTool({
      name: "pay",
      description: "Pays.",
      input: z.object({}),
      confirm: true,
      execute: () => "paid",
    });
    const member = writer(
      ({ results }) => (results.length === 0 ? { toolCalls: [{ name: "pay", id: "p" }] } : "Paid it."),
      {
        tools: [pay],
      },
    );
    const script: Script = ({ results }) => {
      if (results.length === 0) return { toolCalls: [create("a", "Pay")] };
      return results.length === 1 ? { toolCalls: [execute("x", "a")] } : "Done.";
    };
    const { client } = await open(await openDatabase(), [crew(script, [member])]);
    const stream = await client.start("teams/crew", "go", { session_id: "s" });
    await stream.closed;
    expect(stream.events.at(-1)?.event).toBe("TeamRunPaused");
    const requirements = JSON.stringify(
      stream.events.at(-1)?.data.requirements.map((one: Data) => ({ ...one, confirmation: true })),
    );
    const rest = await client.stream(`/teams/crew/runs/${stream.runId}/continue`, { requirements, session_id: "s" });
    await rest.closed;
    const log = await client.log("teams/crew", stream.runId);
    expect(log.at(-1)?.data).toMatchObject({ event: "TeamRunCompleted", content: "Done." });
    expect(brief(log)).toEqual([
      ...["IterationStarted 1", `Created ${a} pending`, `Updated ${a} in_progress`, `Updated ${a} completed`],
      ...["IterationCompleted 1", "StateUpdated false"],
    ]);
  });

  test("that another process takes over has the same list, and each event of a task once", async () => {
    const database = await openDatabase();
    const gate = new Gate();
    const member = writer(async ({ message }) => {
      if (message.startsWith("Second")) await gate.pass();
      return `wrote: ${message.split("\n")[0]}`;
    });
    const script: Script = ({ results }) => {
      if (results.length === 0) return { toolCalls: [create("a", "First"), create("b", "Second")] };
      if (results.length === 2) return { toolCalls: [execute("x-a", "a"), execute("x-b", "b")] };
      return results.length === 4 ? { toolCalls: [complete()] } : "Done.";
    };
    const first = await openServer(database, { teams: [crew(script, [member])] });
    const stream = await first.client.start("teams/crew", "go");
    await gate.crowd(1);
    await stream.next(({ data }) => data?.event === "TeamTaskUpdated" && data.status === "completed");
    await first.end(0);
    gate.open();
    const { client } = await open(database, [crew(script, [member])]);
    const rest = await client.resume("teams/crew", stream.runId);
    await rest.closed;
    const log = await client.log("teams/crew", stream.runId);
    expect(log.at(-1)?.data).toMatchObject({ event: "TeamRunCompleted", content: "Done." });
    expect(log.some(({ event }) => event === "TeamRunRecovered")).toBe(true);
    expect([...brief(log)].sort()).toEqual(
      [
        ...["IterationStarted 1", `Created ${a} pending`, `Created ${b} pending`],
        ...[`Updated ${a} in_progress`, `Updated ${b} in_progress`, `Updated ${a} completed`, `Updated ${b} completed`],
        ...["IterationCompleted 1", "StateUpdated true"],
      ].sort(),
    );
  });
});

test("the list is the same for every order of the results of calls that ran at the same time", () => {
  const message = (id: string, toolName: string, toolArgs: object, content = ""): ToolMessage => ({
    ...{ role: "tool", toolCallId: id, toolName, toolArgs, content, isError: false },
  });
  const created = ["a", "b", "c"].map((id, place) =>
    message(id, "create_task", { title: id, depends_on: place > 0 ? [["a", "b", "c"][place - 1]] : [] }),
  );
  const done = message("x", "execute_task", { task_id: a }, "r");
  const statuses = (messages: readonly ToolMessage[]) =>
    Object.fromEntries(taskListOf(messages, [], () => true).tasks.map(({ title, status }) => [title, status]));
  const expected = { a: "completed", b: "pending", c: "blocked" };
  expect(statuses([...created, done])).toEqual(expected);
  expect(statuses([...created].reverse().concat(done))).toEqual(expected);
});

test.each([
  [{ maxIterations: 3 }, "maxIterations is for the mode tasks"],
  [{ mode: "tasks", maxIterations: 0 }, "maxIterations must be a whole number from 1 to 100"],
  [{ mode: "solo" }, 'mode "solo" is unknown; use coordinate, route, broadcast or tasks'],
] as const)("a team with %j is refused", (options, text) => {
  expect(() => defineTeam({ id: "t", model: "openai:x", members: [writer()], ...(options as object) })).toThrow(text);
});

eachDatabase("the interfaces", (openDatabase) => {
  test("show a run in task mode to its end", async () => {
    const script: Script = ({ results }) => {
      if (results.length === 0) return { toolCalls: [create("a", "First")] };
      return results.length === 1 ? { toolCalls: [execute("x", "a")] } : "All is done.";
    };
    const { client } = await open(await openDatabase(), [crew(script)]);
    const message = { kind: "message", role: "user", messageId: "m", parts: [{ kind: "text", text: "go" }] };
    const ui = { id: "chat", messages: [{ id: "m", role: "user", parts: [{ type: "text", text: "go" }] }] };
    const agUi = {
      threadId: "t",
      runId: "r",
      messages: [{ id: "m", role: "user", content: "go" }],
      tools: [],
      context: [],
      state: {},
    };
    const requests = {
      "/teams/crew/agui": { ...agUi, forwardedProps: {} },
      "/ui/teams/crew": { ...ui, trigger: "submit-message" },
      "/v1/chat/completions": { model: "team:crew", stream: true, messages: [{ role: "user", content: "go" }] },
      "/v1/responses": { model: "team:crew", stream: true, input: "go" },
      "/a2a/teams/crew/v1/message:stream": { jsonrpc: "2.0", id: "1", method: "message/stream", params: { message } },
    };
    for (const [path, body] of Object.entries(requests)) {
      const answer = await fetch(new URL(path, client.address), {
        ...{ method: "POST", headers: { "content-type": "application/json", accept: "text/event-stream" } },
        body: JSON.stringify(body),
      });
      const text = await answer.text();
      expect([path, answer.status, /\bAll\b/.test(text), /"error":[^n]|RUN_ERROR/.test(text)]).toEqual([
        path,
        200,
        true,
        false,
      ]);
      if (path.startsWith("/a2a")) expect(text).toContain('"agno_event_type":"task_created"');
    }
  });
});
