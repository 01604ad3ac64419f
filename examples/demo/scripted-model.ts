/** Models that need no key and no network. They answer sensibly, word by word, at reading speed. */
import { type Script, type ScriptedCall, type ScriptedModel, type ScriptedTurn, scriptedModel } from "troupe/testing";
import { concierge } from "./concierge-script.ts";
import { librarian } from "./librarian-script.ts";

/** The components with a scripted model. */
export type DemoRole =
  | "weather"
  | "calculator"
  | "guide"
  | "concierge"
  | "librarian"
  | "travel-desk"
  | "front-desk"
  | "followups";

interface Weather {
  readonly city: string;
  readonly today: { readonly sky: string; readonly celsius: number };
  readonly tomorrow: { readonly sky: string; readonly celsius: number };
}

/** The scripted model of a component. */
export function scriptedModelFor(role: DemoRole): ScriptedModel {
  return scriptedModel(scripts[role], { modelId: `demo-${role}`, keepCalls: 1 });
}

const scripts: Record<DemoRole, Script> = {
  weather(call) {
    if (call.system.startsWith("You keep the summary")) return { text: summaryOf(call.message) };
    const [result] = call.results;
    const place = cityIn(call);
    if (!place) return say("Which city do you mean? Ask, for instance: what is the weather in Lisbon?");
    if (!result) return use({ name: "get_weather", input: { city: place } });
    if (result.isError) return say(`I could not look that up: ${result.text}`);
    const { city, today, tomorrow } = JSON.parse(result.text) as Weather;
    return say(
      `In ${city} it is ${today.sky} today, at ${today.celsius} °C. ` +
        `Tomorrow it will be ${tomorrow.sky}, at about ${tomorrow.celsius} °C.`,
    );
  },

  calculator({ message, results: [result] }) {
    const expression = sumIn(message);
    if (!expression) return say("Give me some numbers, for instance 3 * (40 + 2), and I will do the sum.");
    if (!result) return use({ name: "calculate", input: { expression } });
    if (result.isError) return say(`I cannot calculate that: ${result.text}`);
    const { result: value } = JSON.parse(result.text) as { result: number };
    return say(`${expression} = ${value}.`);
  },

  guide(call) {
    const city = cityIn(call);
    if (!city)
      return say("Hello! Name a city, and I will suggest how to spend a day there: a day in Lisbon, for instance.");
    const noon = /rain/.test(call.message)
      ? "go into the big museum, and let the rain pass by its windows"
      : "cross the river, and eat something simple in the park, under the trees";
    return say(
      `In the morning, walk through the old streets of ${city} while they are still quiet, and have a coffee ` +
        `on a corner where the bakers know their guests. At noon, ${noon}. ` +
        "In the evening, climb to a place with a view, and stay until the lights come on.",
    );
  },

  concierge,
  librarian,

  "travel-desk"(call) {
    const city = cityIn(call);
    const sum = sumIn(call.message);
    if (!city) return say("Hello! Which city shall I plan a day in? Try: what is the weather in Paris?");
    const [weather, ...rest] = call.results.map(({ text }) => text);
    if (weather === undefined) {
      const first = delegation("weather", `What is the weather in ${city}, today and tomorrow?`);
      const calls = sum ? [first, delegation("calculator", `Calculate ${sum}`)] : [first];
      return { ...use(...calls), text: `Let me see what we know about ${city}.` };
    }
    const [plan, result] = sum ? [rest[1], rest[0]] : [rest[0], undefined];
    if (plan === undefined) return use(delegation("guide", `Suggest a day in ${city}. The weather: ${weather}`));
    return say(
      `${weather}${result ? ` And your sum: ${result}` : ""}\n\nHere is how I would spend the day. ${plan}\n\n` +
        "Take comfortable shoes, keep an hour without any plan, and ask again if you think of another city.",
    );
  },

  followups(call) {
    const city = cityIn(call) ?? "Lisbon";
    return {
      text: JSON.stringify({ followups: [`What is the weather in ${city}?`, `Suggest a rainy day in ${city}`] }),
    };
  },

  "front-desk"({ message, results: [result] }) {
    if (result) return say(result.text);
    if (sumIn(message)) return use(delegation("calculator", message));
    const aboutWeather = /weather|forecast|temperature|rain|sun|warm|cold/i.test(message);
    return use(delegation(aboutWeather ? "weather" : "guide", message));
  },
};

/** Returns a text word by word, after a short delay. */
function say(text: string): ScriptedTurn {
  return { text, wait: 250, delay: () => 20 + Math.random() * 15 };
}

/** Calls tools after a short delay. */
function use(...toolCalls: NonNullable<ScriptedTurn["toolCalls"]>): ScriptedTurn {
  return { toolCalls, wait: 350, delay: 30 };
}

function delegation(member: DemoRole, task: string): { name: string; input: unknown } {
  return { name: "delegate_task_to_member", input: { member_id: member, task } };
}

/** Returns the city of a conversation: the last one that the user named. */
function cityIn({ prompt }: ScriptedCall): string | undefined {
  const texts = prompt.flatMap(({ role, content }) =>
    role === "user" ? [content.map((part) => (part.type === "text" ? part.text : "")).join(" ")] : [],
  );
  for (const text of texts.reverse()) {
    const city = /\b(?:in|for|of|to|at|about)\s+((?:\p{Lu}[\p{L}'-]+\s?)+)/u.exec(text)?.[1];
    if (city) return city.trim();
  }
  return undefined;
}

/** Returns the sum in a text: written with signs or words, or as a shared budget ("120 euros for 3"). */
function sumIn(text: string): string | undefined {
  const signs = text
    .replace(/\b(?:plus|and)\b(?=\s*\d)/g, "+")
    .replace(/\bminus\b/g, "-")
    .replace(/\b(?:times|multiplied by)\b/g, "*")
    .replace(/\b(?:divided by|\w+ for|\w+ among)\b(?=\s*\d)/g, "/");
  const written = /[\d(][\d\s.()+*/-]*[\d)]/.exec(signs)?.[0].trim();
  return written && /\d\s*[-+*/]/.test(written) ? written : undefined;
}

/** A summary of a conversation about the weather: the cities. */
function summaryOf(conversation: string): string {
  const cities = [...conversation.matchAll(/\bin (\p{Lu}\p{L}+)/gu)].map(([, city]) => `in ${city}`);
  return `The user asked for the weather ${[...new Set(cities)].join(", ")}.`;
}
