/** A minimal first platform, so that the start-up question measures the server. It imports only what an installed package has. */
import { defineAgent, definePlatform, type Platform } from "troupe";

const unused = (): Promise<never> => Promise.reject(new Error("The bench runs no model here."));

const model = {
  specificationVersion: "v4",
  provider: "bench",
  modelId: "none",
  supportedUrls: {},
  doGenerate: unused,
  doStream: unused,
} as const;

const platform: Platform = definePlatform({
  id: "small",
  agents: [defineAgent({ id: "greeter", name: "Greeter", model })],
});

export default platform;
