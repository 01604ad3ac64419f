/** A minimal first platform, so that the start-up question measures the server. */
import { defineAgent, definePlatform, type Platform } from "troupe";
import { flooding } from "./models.ts";

const platform: Platform = definePlatform({
  id: "small",
  agents: [defineAgent({ id: "greeter", name: "Greeter", model: flooding(["Hello", " there"]) })],
});

export default platform;
