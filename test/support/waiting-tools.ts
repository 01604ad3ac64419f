/** Tools that wait for a person, for tests of the surfaces. */
import { z } from "zod";
import { defineTool } from "../../src/index.ts";

/** Waits for a confirmation. */
export const sendLetter = defineTool({
  name: "send_letter",
  description: "Sends a letter.",
  input: z.object({ to: z.string() }),
  confirm: true,
  execute: ({ to }) => `sent to ${to}`,
});

/** Waits for an approval. */
export const pay = defineTool({
  name: "pay",
  description: "Pays.",
  input: z.object({ to: z.string() }),
  approval: "required",
  execute: ({ to }) => `paid ${to}`,
});
