import { expect, test } from "vitest";
import { z } from "zod";
import { defineAgent } from "../../src/define/agent.ts";
import { defineTeam } from "../../src/define/team.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { fakeScope } from "../support/fake-scope.ts";

const suggested = JSON.stringify({ followups: [" Why? ", "", "When?", "Where?", "Who?"] });

test("follow-ups are in the log and in the record, and their usage is in the run's metrics", async () => {
  const model = scriptedModel(["It rains.", suggested]);
  const scope = fakeScope(defineAgent({ id: "a", model, followups: true }), { message: "The weather?" });
  const output = await scope.run();
  expect(output).toMatchObject({ content: "It rains.", followups: ["Why?", "When?", "Where?"] });
  expect(scope.names.slice(-7)).toEqual([
    "ModelRequestCompleted",
    "FollowupsStarted",
    "ModelRequestStarted",
    "ModelRequestCompleted",
    "FollowupsCompleted",
    "RunContentCompleted",
    "RunCompleted",
  ]);
  expect(scope.events.at(-5)?.fields).toEqual({
    model: "scripted-model",
    model_provider: "Scripted",
    purpose: "followup_model",
  });
  expect(scope.events.at(-3)?.fields).toEqual({ followups: ["Why?", "When?", "Where?"] });
  const { details = {}, total_tokens: total } = output.metrics ?? {};
  expect(Object.keys(details)).toEqual(["model", "followup_model"]);
  expect(
    Object.values(details)
      .flat()
      .reduce((sum, { total_tokens }) => sum + total_tokens, 0),
  ).toBe(total);
  expect(JSON.stringify(model.calls[1]?.prompt)).toContain("<answer>\\nIt rains.\\n</answer>");
});

test("follow-ups come from their own model, in the given number", async () => {
  const own = scriptedModel([suggested], { modelId: "small" });
  const agent = defineAgent({ id: "a", model: scriptedModel(["Yes"]), followups: { model: own, count: 1 } });
  const scope = fakeScope(agent);
  expect((await scope.run()).followups).toEqual(["Why?"]);
  expect(scope.events.at(-5)?.fields.model).toBe("small");
});

test.each([
  ["fails", [{ error: { message: "down", status: 400 } }]],
  ["never matches the schema", ["no JSON", "again none"]],
])("the run completes without follow-ups if their model %s", async (_, answers) => {
  const agent = defineAgent({ id: "a", model: scriptedModel(["Yes"]), followups: { model: scriptedModel(answers) } });
  const scope = fakeScope(agent);
  expect(await scope.run()).toMatchObject({ content: "Yes", followups: [] });
  expect(scope.names.at(-1)).toBe("RunCompleted");
});

test("an answer that does not match the schema is corrected once", async () => {
  const own = scriptedModel(["no JSON", suggested]);
  const scope = fakeScope(defineAgent({ id: "a", model: scriptedModel(["Yes"]), followups: { model: own } }));
  expect((await scope.run()).followups).toHaveLength(3);
  expect(JSON.stringify(own.calls[1]?.prompt)).toContain("It is not JSON.");
});

test("a later attempt of the run makes no request whose answer is recorded, and emits no event twice", async () => {
  const agent = defineAgent({ id: "a", model: scriptedModel(["Yes", suggested]), followups: true });
  const first = fakeScope(agent);
  await first.run();
  const later = fakeScope(agent, { said: first.messages.map(({ message }) => message) });
  for (const [name, value] of first.marks) later.marks.set(name, value);
  expect((await later.run()).followups).toEqual(["Why?", "When?", "Where?"]);
  expect(later.names).toEqual(["RunContentCompleted", "RunCompleted"]);
});

test("members of a team suggest nothing", async () => {
  const member = defineAgent({ id: "m", model: scriptedModel(["Done"]), followups: true });
  const leader = scriptedModel([
    { toolCalls: [{ name: "delegate_task_to_member", input: { member_id: "m", task: "do" } }] },
    "All done",
  ]);
  const scope = fakeScope(defineTeam({ id: "t", model: leader, members: [member] }));
  await scope.run();
  expect(scope.names.filter((name) => name.includes("Followups"))).toEqual([]);
});

test.each([[{ count: 0 }], [{ count: 11 }], ["yes" as never]])("followups %j is refused at definition", (followups) => {
  expect(() => defineAgent({ id: "a", model: scriptedModel([]), followups })).toThrow(/Agent "a": followups/);
});

test("a later attempt does not emit a stored structured answer again", async () => {
  const City = z.object({ name: z.string() }).meta({ title: "City" });
  const model = scriptedModel(['{"name":"Rome"}', { error: { message: "down", status: 400 } }, suggested]);
  const agent = defineAgent({ id: "a", model, output: City, followups: true });
  const first = fakeScope(agent);
  await first.run();
  expect(first.names.filter((name) => name === "RunContent")).toHaveLength(1);
  // The process died before the follow-ups were stored.
  const said = first.messages.map(({ message }) => message);
  const later = fakeScope(agent, { said });
  const output = await later.run();
  expect(output).toMatchObject({
    content: { name: "Rome" },
    contentType: "City",
    followups: ["Why?", "When?", "Where?"],
  });
  expect(later.names).not.toContain("RunContent");
});

test("a structured answer that a run copies is emitted", async () => {
  const City = z.object({ name: z.string() }).meta({ title: "City" });
  const agent = defineAgent({ id: "a", model: scriptedModel([]), output: City });
  const said = [
    { role: "user", content: "Where?" },
    { role: "assistant", content: '{"name":"Rome"}' },
  ] as const;
  const scope = Object.assign(fakeScope(agent, { said }), { copiedMessages: 2 });
  expect(await scope.run()).toMatchObject({ content: { name: "Rome" } });
  expect(scope.names.filter((name) => name === "RunContent")).toHaveLength(1);
});
