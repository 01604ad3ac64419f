/** A platform whose process a test kills: each finished step appends a line to the file in `TEST_STEPS`. */
import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { definePlatform, defineWorkflow, parallel, step } from "troupe";

// A server does not outlive the test that started it.
process.on("disconnect", () => process.exit(1));

function work(name: string, milliseconds = 0) {
  return step({
    name,
    ...(name === "publish" && { confirm: "Publish?" }),
    async run({ previous, output, signal }) {
      await sleep(milliseconds, undefined, { signal });
      appendFileSync(process.env.TEST_STEPS ?? "", `${name}\n`);
      if (name === "tell") return [output("quick"), output("slow"), output("publish") !== undefined];
      return `${previous}>${name}`;
    },
  });
}

const flow = defineWorkflow({
  id: "flow",
  steps: [
    work("draft"),
    parallel({ name: "checks", steps: [work("quick"), work("slow", 700)] }),
    work("publish", 700),
    work("tell"),
  ],
});

export default definePlatform({
  id: "kill",
  settings: JSON.parse(process.env.TEST_SETTINGS ?? "{}"),
  workflows: [flow],
});
