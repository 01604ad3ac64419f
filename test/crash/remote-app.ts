/** A gateway: its team and its workflow delegate to the server at `TEST_UPSTREAM`, over both protocols. */
import { defineAgent, definePlatform, defineTeam, defineWorkflow, remoteAgent, step } from "troupe";
import { type ScriptedCall, type ScriptedTurn, scriptedModel } from "troupe/testing";

// A server does not outlive the test that started it.
process.on("disconnect", () => process.exit(1));

const url = process.env.TEST_UPSTREAM ?? "";
const far = remoteAgent({ id: "far", url, remoteId: "parallel" });
const byA2a = remoteAgent({ id: "a2a", a2a: `${url}/a2a/agents/parallel` });
const near = defineAgent({ id: "near", model: scriptedModel(() => ({ text: ["near"] })) });

/** Delegates the message to all three members at once, then joins their answers. */
function lead({ message, results }: ScriptedCall): ScriptedTurn | string {
  if (results.length > 0) return results.map(({ text }) => text).join("|");
  const toolCalls = [far, byA2a, near].map(({ id }) => ({
    name: "delegate_task_to_member",
    input: { member_id: id, task: message },
  }));
  return { toolCalls };
}

export default definePlatform({
  id: "gateway",
  settings: JSON.parse(process.env.TEST_SETTINGS ?? "{}"),
  teams: [defineTeam({ id: "desk", model: scriptedModel(lead), members: [far, byA2a, near] })],
  workflows: [defineWorkflow({ id: "flow", steps: [step({ name: "far", agent: far })] })],
});
