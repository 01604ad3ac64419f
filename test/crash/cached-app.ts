/** An agent whose answers are stored for equal requests. Each request to its model is a line of a file, and its number is in the answer. */
import { appendFileSync, readFileSync } from "node:fs";
import { defineAgent, definePlatform } from "troupe";
import { scriptedModel } from "troupe/testing";

// A server does not outlive the test that started it.
process.on("disconnect", () => process.exit(1));

const file = process.env.TEST_EFFECTS as string;
const model = scriptedModel(() => {
  appendFileSync(file, "request\n");
  const { length } = readFileSync(file, "utf8").trim().split("\n");
  return { text: `Answer number ${length}`, delay: 1, usage: { input: 10, output: 5 } };
});

export default definePlatform({
  id: "cached",
  settings: JSON.parse(process.env.TEST_SETTINGS ?? "{}"),
  agents: [defineAgent({ id: "asked", model, cache: { ttl: "1h" } })],
});
