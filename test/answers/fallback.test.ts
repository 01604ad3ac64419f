import { expect, test } from "vitest";
import { defineAgent } from "../../src/define/agent.ts";
import { type ScriptedError, scriptedModel } from "../../src/testing/index.ts";
import { type FakeScope, fakeScope } from "../support/fake-scope.ts";

function down(error: ScriptedError, times = 5): ReturnType<typeof scriptedModel> {
  return scriptedModel(
    Array.from({ length: times }, () => ({ error })),
    { modelId: "first" },
  );
}

function backup(...answers: string[]): ReturnType<typeof scriptedModel> {
  return scriptedModel(answers, { modelId: "second", provider: "backup.chat" });
}

function scopeOf(error: ScriptedError, options: { maxModelAttempts?: number } = {}): FakeScope {
  const models = [backup("From the second")];
  return fakeScope(defineAgent({ id: "a", model: down(error), models, maxModelAttempts: 2, ...options }));
}

test.each([500, 503, 529, 429])(
  "after status %i, the next model answers, and the log and the record name both",
  async (status) => {
    const scope = scopeOf({ message: "overloaded", status });
    const output = await scope.run();
    expect(output).toMatchObject({ content: "From the second", model: { id: "second", provider: "Backup" } });
    expect(scope.names.slice(0, 5)).toEqual([
      "RunStarted",
      "ModelRequestStarted",
      "ModelFallback",
      "ModelRequestStarted",
      "RunContent",
    ]);
    expect(scope.events[2]?.fields).toEqual({
      model: "second",
      model_provider: "Backup",
      failed_model: "first",
      failed_model_provider: "Scripted",
      error_type: status === 429 ? "model_rate_limit_error" : "model_provider_error",
      content: "overloaded (tried 2 times)",
    });
    expect(scope.events.find(({ name }) => name === "ModelRequestCompleted")?.fields.model).toBe("second");
    expect(output.metrics?.details).toEqual({
      model: [expect.objectContaining({ id: "second", provider: "Backup Chat", total_tokens: expect.any(Number) })],
    });
  },
);

test.each([
  ["a rejected request", { message: "bad request", status: 400 }],
  ["a rejected key", { message: "no", status: 401 }],
  ["an unknown model", { message: "no such model", status: 404 }],
  ["a bug", { message: "undefined is not a function" }],
  ["an answer that broke off after clients saw a part of it", { message: "gone", status: 503, afterDeltas: 1 }],
])("no other model answers after %s", async (_, error) => {
  const model = scriptedModel([{ text: "Some words", error }]);
  const scope = fakeScope(defineAgent({ id: "a", model, models: [backup("no")] }));
  await expect(scope.run()).rejects.toMatchObject({ name: "RunFailure" });
  expect(scope.names).not.toContain("ModelFallback");
});

test("the run keeps the model that answered, in its later turns and in its later attempts", async () => {
  const first = down({ message: "down", status: 503 });
  const second = backup("One", "Two");
  const agent = defineAgent({ id: "a", model: first, models: [first, second], maxModelAttempts: 1 });
  const scope = fakeScope(agent);
  await scope.run();
  const later = fakeScope(agent, { said: [{ role: "user", content: "again" }] });
  for (const [name, value] of scope.marks) later.marks.set(name, value);
  expect((await later.run()).content).toBe("Two");
  expect(first.calls).toHaveLength(1);
  expect(later.names).not.toContain("ModelFallback");
});

test("the run fails with the last model's error if all models are unavailable", async () => {
  const models = [down({ message: "second is down", status: 500 }), down({ message: "third is down", status: 500 })];
  const agent = defineAgent({ id: "a", model: down({ message: "first", status: 500 }), models, maxModelAttempts: 1 });
  const scope = fakeScope(agent);
  await expect(scope.run()).rejects.toMatchObject({ message: "third is down" });
  expect(scope.names.filter((name) => name === "ModelFallback")).toHaveLength(2);
});
