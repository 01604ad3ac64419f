import { defineAgent, definePlatform, defineTeam } from "troupe";
import { scriptedModel } from "troupe/testing";

const greeter = defineAgent({
  id: "greeter",
  name: "Greeter",
  model: scriptedModel([{ text: "Good morning." }]),
  instructions: "Greet whoever comes.",
});

const desk = defineTeam({
  id: "front-desk",
  name: "Front desk",
  mode: "route",
  model: scriptedModel([{ text: "Welcome." }]),
  instructions: "Hand over to the greeter.",
  members: [greeter],
});

export default definePlatform({ id: "reception", agents: [greeter], teams: [desk] });
