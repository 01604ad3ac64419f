import type { Hosted } from "../../define/platform.ts";
import type { RunOutput } from "../../model/run/record.ts";
import type { RunScope } from "./contract.ts";

/** Returns the run's partial output if its loop has started and the output can be written as JSON; otherwise empty, so that the run can end. */
export function partialOutputOf(scope: RunScope<Hosted>): Partial<RunOutput> {
  try {
    const output = scope.partialOutput?.() ?? {};
    JSON.stringify(output);
    return output;
  } catch (error) {
    scope.runtime.log.warn({ error, runKey: scope.runKey }, "The run's partial output could not be read.");
    return {};
  }
}
