import { expect, test } from "vitest";
import { defineAgent } from "../../src/define/agent.ts";
import { toMemoryRecord } from "../../src/http/records/memories.ts";
import type { Memory } from "../../src/model/memory.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { fakeScope } from "../support/fake-scope.ts";

test("the source of a changed memory has the run and the time of the change, in its record and in prompts", async () => {
  const memory: Memory = {
    ...{ id: "1", userId: "u", memory: "Lives in Oslo.", topics: [], revision: 2, origin: "extraction" },
    ...{ agentId: "a", teamId: null, runId: "second-run", sessionId: "second-session" },
    ...{ createdAt: Date.UTC(2026, 0, 1), updatedAt: Date.UTC(2026, 5, 2) },
  };
  expect(toMemoryRecord(memory)).toMatchObject({
    updated_at: "2026-06-02T00:00:00Z",
    source: { run_id: "second-run", created_at: "2026-06-02T00:00:00Z" },
  });
  const model = scriptedModel(["ok"]);
  const scope = fakeScope(defineAgent({ id: "a", model, memory: {} }));
  Object.assign(scope, { memories: { latest: async () => [memory] } });
  Object.assign(scope.context, { userId: "u" });
  await scope.run();
  const [system] = model.calls[0]?.prompt ?? [];
  expect(system?.content).toContain(
    '"learned":{"at":"2026-06-02T00:00","session":"second-session","run":"second-run"}',
  );
});
