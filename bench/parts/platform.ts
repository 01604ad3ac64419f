/** The platform that the bench hosts. */
import {
  type Agent,
  type Algorithm,
  defineAgent,
  definePlatform,
  defineTeam,
  defineTool,
  defineWorkflow,
  type Platform,
} from "troupe";
import { z } from "zod";
import { conversing, extracting, flooding, paced, silent } from "./models.ts";
import { pieces } from "./words.ts";

/** Content events of each paced run. */
export const pacedEvents = 300;

/** Content events of a generated run: with the other events of its log, it has 100. */
const scaleEvents = 93;

const settings = process.env.BENCH_SETTINGS ? JSON.parse(process.env.BENCH_SETTINGS) : {};

const algorithm = process.env.BENCH_ALGORITHM as Algorithm | undefined;
const userIsolation = process.env.BENCH_ISOLATION !== undefined;

/** A price, because a model without one makes the server log a warning. */
const price = { input: 1, output: 1 };

/** With `BENCH_MEMORY`, the runs of these agents are extracted, and their prompts contain memories. */
const memory = process.env.BENCH_MEMORY ? { memory: { model: extracting() } } : {};

const answering: Agent = defineAgent({ id: "answer", name: "Answer", model: flooding(pieces(3)) });

const burst: Agent = defineAgent({ id: "burst", name: "Burst", model: flooding(pieces(200)), ...memory });

const readPage = defineTool({
  name: "read_page",
  description: "Reads a page",
  input: z.object({}),
  execute: () => pieces(700).join(""),
});

/** A session of it is summarised every 10 runs, and the pages of 5 runs do not fit the window. */
const conversation: Agent = defineAgent({
  ...{ id: "conversation", name: "Conversation", model: conversing(), tools: [readPage] },
  history: { runs: 5, summary: { runs: 10 } },
  context: { window: 8_000, compaction: "summarise" },
});

const platform: Platform = definePlatform({
  id: "bench",
  settings,
  prices: { flooding: price, paced: price, silent: price, extracting: price, conversing: price },
  ...(algorithm === undefined ? {} : { authorization: { algorithm, userIsolation } }),
  agents: [
    answering,
    burst,
    conversation,
    defineAgent({ id: "paced", name: "Paced", model: paced(pieces(pacedEvents), 30), ...memory }),
    defineAgent({ id: "tokens", name: "Tokens", model: paced(pieces(pacedEvents), 30, false) }),
    defineAgent({ id: "steady", name: "Steady", model: paced(pieces(2000), 50) }),
    defineAgent({ id: "long", name: "Long", model: flooding(pieces(5000)) }),
    defineAgent({ id: "silent", name: "Silent", model: silent() }),
    defineAgent({ id: "scale", name: "Scale", model: flooding(pieces(scaleEvents)), history: { runs: 5 } }),
    defineAgent({ id: "growing", name: "Growing", model: flooding(pieces(20)), history: { runs: 5 } }),
  ],
  teams: [defineTeam({ id: "burst", name: "Burst", model: flooding(pieces(200)), members: [answering] })],
  workflows: [defineWorkflow({ id: "burst", name: "Burst", steps: [burst] })],
});

export default platform;
