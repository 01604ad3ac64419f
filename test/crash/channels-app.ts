/** A server with a Slack channel, in a process of its own: prints its address. */
import { slack } from "../../src/channels.ts";
import { createServer, defineAgent, definePlatform } from "../../src/index.ts";
import { scriptedModel } from "../../src/testing/index.ts";

const { TEST_PLACE = "{}", TEST_API = "", TEST_SECRET = "" } = process.env;
const words = Array.from({ length: 50 }, (_, place) => `word${place} `);
const clerk = defineAgent({
  id: "clerk",
  name: "Clerk",
  model: scriptedModel(() => ({ text: words, delay: 60 })),
});
const settings = { leaseDuration: 2_000, leaseRenewInterval: 400, sweepInterval: 400, pushSweepInterval: 400 };
const channel = slack({
  component: "agent:clerk",
  botToken: "xoxb-test",
  signingSecret: TEST_SECRET,
  apiUrl: `${TEST_API}/api/`,
});
const platform = definePlatform({ id: "test", agents: [clerk], settings });
const server = await createServer(platform, { ...JSON.parse(TEST_PLACE), port: 0, interfaces: [channel] });
process.stdout.write(`${await server.listen()}\n`);
