import type { Hosted } from "../../define/platform.ts";
import type { RunOutput } from "../../model/record.ts";
import type { RunScope } from "./contract.ts";

/** What a run has come to, when its loop has begun and its state can be told: what cannot be written must not keep the run from ending. */
export function soFarOf(scope: RunScope<Hosted>): Partial<RunOutput> {
  try {
    const output = scope.soFar?.() ?? {};
    JSON.stringify(output);
    return output;
  } catch (error) {
    scope.runtime.log.warn({ error, runKey: scope.runKey }, "What the run came to so far could not be told.");
    return {};
  }
}
