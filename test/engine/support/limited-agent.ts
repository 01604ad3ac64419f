/** A model, a tool and prices for tests of limits. */
import { z } from "zod";
import { defineTool } from "../../../src/define/tool.ts";
import type { Script } from "../../../src/testing/index.ts";

/** One request costs 100 x 10 + 10 x 100 dollars per million tokens: 0.002. */
export const prices = { "scripted-model": { input: 10, output: 100 } };
export const usage = { input: 100, output: 10 };

export const note = defineTool({ name: "note", description: "Notes", input: z.object({}), execute: () => "noted" });

/** Makes a tool call in each of the first turns of a run, then answers. */
export const turns =
  (count: number): Script =>
  ({ results }) =>
    results.length < count - 1 ? { text: "t", toolCalls: [{ name: "note" }], usage } : { text: "done", usage };
