/** The text that a run emitted before this process recovered it. */
import { storedFrames } from "../../events/stored-frames.ts";
import { eachFrame, frameData, frameName } from "../../model/frame.ts";
import { retryWhileUnavailable } from "../process/retry-while-unavailable.ts";
import type { RootRun } from "./root-run.ts";

/** The text of the run's answer, joined from the events in the log. */
export async function emittedText(root: RootRun, runId: string): Promise<string> {
  return await retryWhileUnavailable(root.parts, root.signal, async () => {
    let text = "";
    for await (const frames of storedFrames(root.parts.store, root.writer.key, Number.POSITIVE_INFINITY)) {
      for (const frame of eachFrame(frames)) {
        if (!/^(Team)?RunContent$/.test(frameName(frame))) continue;
        const { run_id, content } = JSON.parse(frameData(frame)) as { run_id: unknown; content: unknown };
        if (run_id === runId && typeof content === "string") text += content;
      }
    }
    return text;
  });
}
