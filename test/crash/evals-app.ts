/** An agent whose runs are noted in a file. With `HANG`, runs after the third never end, so that the process can be killed during an eval. */
import { appendFileSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { defineAgent, definePlatform } from "troupe";
import { scriptedModel } from "troupe/testing";

// A server does not outlive the test that started it.
process.on("disconnect", () => process.exit(1));

const { NOTES = "", HANG = "", TEST_SETTINGS = "{}" } = process.env;

const model = scriptedModel(async ({ system }) => {
  const isJudge = system.startsWith("You judge the output");
  appendFileSync(NOTES, `${process.pid} ${isJudge ? "judge" : "run"}\n`);
  if (isJudge) return JSON.stringify({ reason: "Right.", score: 10 });
  const runs = readFileSync(NOTES, "utf8")
    .split("\n")
    .filter((line) => line.endsWith("run")).length;
  if (HANG && runs > 3) await sleep(2 ** 30);
  return "4";
});

export default definePlatform({
  id: "evals",
  agents: [defineAgent({ id: "agent", model })],
  settings: JSON.parse(TEST_SETTINGS),
});
