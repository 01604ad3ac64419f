/** Tools that the caller of a run executes: the run pauses at their calls, and continues with the results that the caller sends. */
import { z } from "zod";
import type { Callable } from "../tool-call/callable.ts";
import type { RunScope } from "./contract.ts";

/** The caller validates its own arguments. */
const anyInput = z.looseObject({});

/** The tools of the start, for the root run only: its members have tools of their own. A name of the definition's tools takes precedence. */
export function callerTools({ options, context }: RunScope, own: readonly Callable[]): readonly Callable[] {
  if (!options.callerTools || context.runId !== context.rootRunId) return [];
  const taken = new Set(own.map(({ name }) => name));
  return options.callerTools
    .filter(({ name }) => !taken.has(name))
    .map(({ name, description, inputSchema }) => ({
      name,
      description,
      inputSchema,
      input: anyInput,
      timeout: undefined,
      stopAfterCall: false,
      ifInterrupted: "tell-model",
      demands: { confirm: false, userInput: [], external: true, wholeSchema: inputSchema, approval: undefined },
      run() {
        throw new Error("The caller of the run makes this call.");
      },
    }));
}
