import { expect, onTestFinished, test } from "vitest";
import { defineAgent } from "../../src/define/agent.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { eachDatabase } from "../support/databases.ts";
import { openServer } from "../support/open-server.ts";

eachDatabase("records", (openDatabase) => {
  test("the run, the list of runs and the AI SDK chat have follow-ups, reasoning and the model that answered", async () => {
    const down = scriptedModel([{ error: { message: "down", status: 503 } }], { modelId: "first" });
    const agent = defineAgent({
      ...{ id: "a", model: down, models: [scriptedModel(["Yes"], { modelId: "second" })], maxModelAttempts: 1 },
      followups: { model: scriptedModel(() => '{"followups":["Why?"]}') },
      reasoningModel: scriptedModel(() => "I think"),
    });
    const { client, end } = await openServer(await openDatabase(), { agents: [agent] });
    onTestFinished(() => end(0));
    const { body: started } = await client.post("/agents/a/runs", { message: "Hi", stream: "false", session_id: "s" });
    const shown = {
      content: "Yes",
      followups: ["Why?"],
      reasoning_content: "I think",
      reasoning_steps: [{ result: "I think" }],
    };
    const { body: record } = await client.get(`/agents/a/runs/${started.run_id}?session_id=s`);
    expect(record).toMatchObject({ ...shown, model: "second" });
    const { body: listed } = await client.get("/sessions/s/runs?type=agent");
    expect(listed).toMatchObject([shown]);
  });
});
