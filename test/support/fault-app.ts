/** The platform that server processes of the fault tests host. */
import { definePlatform } from "troupe";
import { desk, parallel, talker } from "./orders.ts";

process.on("message", async (question) => {
  if (question !== "memory") return;
  for (let round = 0; round < 3; round++) {
    globalThis.gc?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { heapUsed, external } = process.memoryUsage();
  process.send?.(heapUsed + external);
});
// A server does not outlive the test that started it.
process.on("disconnect", () => process.exit(1));

const settings = JSON.parse(process.env.TEST_SETTINGS ?? "{}");

export default definePlatform({ id: "faults", settings, agents: [talker, parallel], teams: [desk] });
