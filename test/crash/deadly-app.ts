/** Hosts the agents of the fault tests, and one agent that kills its process. */
import { defineAgent, definePlatform } from "troupe";
import { scriptedModel } from "troupe/testing";
import { parallel, talker } from "../support/orders.ts";

// A server does not outlive the test that started it.
process.on("disconnect", () => process.exit(1));

const deadly = defineAgent({
  id: "deadly",
  model: scriptedModel(() => {
    process.kill(process.pid, "SIGKILL");
    return "not reached";
  }),
});

const settings = JSON.parse(process.env.TEST_SETTINGS ?? "{}");

export default definePlatform({ id: "deadly", settings, agents: [talker, parallel, deadly] });
