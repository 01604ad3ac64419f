/** A platform as small as a first one: what starts here is the server. */
import { defineAgent, definePlatform, type Platform } from "troupe";
import { flooding } from "./models.ts";

const platform: Platform = definePlatform({
  id: "small",
  agents: [defineAgent({ id: "greeter", name: "Greeter", model: flooding(["Hello", " there"]) })],
});

export default platform;
