/** The JSON texts of a stored run. */
import type { RunInput, RunOptions, RunOutput } from "./record.ts";

/** The texts of a stored run that hold JSON. */
interface StoredTexts {
  readonly input: string;
  readonly output: string | null;
  readonly options: string;
}

/** The run's input. */
export function inputOf({ input }: Pick<StoredTexts, "input">): RunInput {
  return JSON.parse(input) as RunInput;
}

/** The run's output so far; empty if it has none. */
export function outputOf({ output }: Pick<StoredTexts, "output">): Partial<RunOutput> {
  return output === null ? {} : (JSON.parse(output) as RunOutput);
}

/** The options that the run was started with. */
export function optionsOf({ options }: Pick<StoredTexts, "options">): RunOptions {
  return JSON.parse(options) as RunOptions;
}
