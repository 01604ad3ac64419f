/** An agent with memory, whose extractions are noted in a file. With `HANG` they never end, so that the process can be killed during one. */
import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { defineAgent, definePlatform } from "troupe";
import { scriptedModel } from "troupe/testing";

// A server does not outlive the test that started it.
process.on("disconnect", () => process.exit(1));

const { NOTES = "", HANG = "", TEST_SETTINGS = "{}" } = process.env;

const model = scriptedModel(async ({ system, message }) => {
  if (!system.startsWith("You maintain what")) return "Noted.";
  const [, fact] = /"text":"(fact \d+)"/.exec(message) ?? [];
  appendFileSync(NOTES, `${process.pid} ${fact}\n`);
  if (HANG) await sleep(2 ** 30);
  return JSON.stringify({ operations: [{ action: "add", number: null, memory: fact, topics: null }] });
});

export default definePlatform({
  id: "memory",
  agents: [defineAgent({ id: "agent", model, memory: {} })],
  settings: JSON.parse(TEST_SETTINGS),
});
