/** An agent whose answer takes several model requests. Each request is a line of a file. */
import { appendFileSync } from "node:fs";
import { defineAgent, definePlatform } from "troupe";
import { type Script, scriptedModel } from "troupe/testing";
import { z } from "zod";

// A server does not outlive the test that started it.
process.on("disconnect", () => process.exit(1));

const noted = (name: string, answer: string) => {
  const script: Script = () => {
    appendFileSync(process.env.TEST_EFFECTS as string, `${name}\n`);
    return { text: answer, delay: 1 };
  };
  return scriptedModel(script, { modelId: name });
};

export default definePlatform({
  id: "answers",
  settings: JSON.parse(process.env.TEST_SETTINGS ?? "{}"),
  agents: [
    defineAgent({
      id: "shaped",
      model: noted("draft", "It may be Paris"),
      output: z.object({ city: z.string() }),
      reasoning: { steps: 1 },
      reasoningModel: noted("reasoning", '{"title":"Think","next_action":"final_answer"}'),
      outputModel: noted("output", "It is Paris"),
      parserModel: noted("parser", '{"city":"Paris"}'),
      followups: { count: 1, model: noted("followups", '{"followups":["And Rome?"]}') },
    }),
  ],
});
