/**
 * Teams whose members use tools with effects: one that is idempotent, one that is not, and one that needs a confirmation. Workflows that
 * pause. Effects are lines of a file.
 */
import { appendFileSync } from "node:fs";
import { defineAgent, definePlatform, defineTeam, defineTool, defineWorkflow, type LeafOptions, step } from "troupe";
import { scriptedModel } from "troupe/testing";
import { z } from "zod";
import { reached } from "./watched-store.ts";

// A server does not outlive the test that started it.
process.on("disconnect", () => process.exit(1));

/** Appends a line for a call. The line survives the death of the process. */
function effectTool(name: "note" | "pay", idempotent: boolean, confirm: boolean) {
  return defineTool({
    name,
    description: "Leaves a line",
    input: z.object({}),
    idempotent,
    confirm,
    execute(_, { idempotencyKey, session }) {
      reached(`${name} begun`, session.id);
      appendFileSync(
        process.env.TEST_EFFECTS as string,
        `${JSON.stringify({ name, key: idempotencyKey, session: session.id })}\n`,
      );
      session.state[name] = idempotencyKey;
      reached(`${name} done`, session.id);
      return "done";
    },
  });
}

const member = (name: "note" | "pay", idempotent: boolean, confirm = false) =>
  defineAgent({
    id: name,
    tools: [effectTool(name, idempotent, confirm)],
    model: scriptedModel(({ results }) =>
      results.length === 0
        ? { text: ["I ", "begin."], toolCalls: [{ name, id: `${name}-1` }], delay: 3 }
        : { text: ["I ", "am ", "done."], delay: 3 },
    ),
  });

const team = (id: string, confirm: boolean) =>
  defineTeam({
    id,
    members: [member("note", false), member("pay", true, confirm)],
    model: scriptedModel(({ message, results }) => {
      const { words, delay } = JSON.parse(message) as { words: number; delay: number };
      if (results.length > 0) return { text: Array.from({ length: words }, (_, place) => `${place} `), delay };
      const toolCalls = ["note", "pay"].map((member_id) => ({
        name: "delegate_task_to_member",
        id: `ask-${member_id}`,
        input: { member_id, task: "Go" },
      }));
      return { text: ["Let ", "me ", "ask."], toolCalls, delay: 3 };
    }),
  });

/** The same members in task mode. */
const crew = defineTeam({
  id: "crew",
  mode: "tasks",
  members: [member("note", false), member("pay", true)],
  model: scriptedModel(({ message, results }) => {
    const { words, delay } = JSON.parse(message) as { words: number; delay: number };
    const ids = results.map(({ text }) => /\[(\w+)\]/.exec(text)?.[1]);
    if (results.length === 0) {
      const toolCalls = ["note", "pay"].map((assignee) => ({
        name: "create_task",
        id: `make-${assignee}`,
        input: { title: assignee, assignee },
      }));
      return { text: ["Let ", "me ", "ask."], toolCalls, delay: 3 };
    }
    if (results.length === 2)
      return { toolCalls: ids.map((id) => ({ name: "execute_task", id: `do-${id}`, input: { task_id: id } })) };
    if (results.length === 4)
      return { toolCalls: [{ name: "mark_all_complete", id: "end", input: { summary: "Done" } }] };
    return { text: Array.from({ length: words }, (_, place) => `${place} `), delay };
  }),
});

/** Steps with an agent before and after a step that pauses. */
const flow = (id: string, asks: Partial<LeafOptions>) =>
  defineWorkflow({
    id,
    steps: [
      step({ name: "begin", agent: member("note", false) }),
      step({ name: "ask", run: ({ previous }) => previous, confirm: "Go on?", ...asks }),
      step({ name: "end", agent: member("pay", true) }),
    ],
  });

const settings = JSON.parse(process.env.TEST_SETTINGS ?? "{}");

export default definePlatform({
  id: "points",
  settings,
  teams: [team("desk", false), team("till", true), crew],
  workflows: [flow("asking", {}), flow("waiting", { answerTimeout: 400, onTimeout: "approve" })],
});
