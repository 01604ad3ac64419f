/** An agent whose requests are noted in a file. `SLOW` is the time of a request in milliseconds. */
import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { defineAgent, definePlatform } from "troupe";
import { scriptedModel } from "troupe/testing";

// A server does not outlive the test that started it.
process.on("disconnect", () => process.exit(1));

const { NOTES = "", SLOW = "0", TEST_SETTINGS = "{}" } = process.env;

const model = scriptedModel(async ({ message }) => {
  appendFileSync(NOTES, `${message}\n`);
  await sleep(Number(SLOW));
  return `re: ${message}`;
});

export default definePlatform({
  id: "experiments",
  agents: [defineAgent({ id: "agent", model })],
  settings: JSON.parse(TEST_SETTINGS),
});
