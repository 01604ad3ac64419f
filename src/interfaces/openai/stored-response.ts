/** Reads a response from the stored log of its run. */
import { nextTurn } from "../../model/next-turn.ts";
import type { RunStatus } from "../../model/run/run.ts";
import { outputOf } from "../../model/run/stored-run.ts";
import type { RunRow } from "../../runs/find.ts";
import { noResponse, responseId } from "./names.ts";
import { type FoundResponse, load, type Requested } from "./run-service.ts";
import { textOf } from "./stream/events.ts";
import { type ResponseStatus, ResponseTranslator } from "./stream/response.ts";

const statuses: Readonly<Record<RunStatus, ResponseStatus>> = {
  PENDING: "queued",
  RUNNING: "in_progress",
  PAUSED: "completed",
  COMPLETED: "completed",
  CANCELLED: "cancelled",
  ERROR: "failed",
};

/** Bytes of a log that are read before other requests get a turn. */
const yieldBytes = 1024 * 1024;

/** The response as it is now, as JSON text. @throws TroupeError `notFound` */
export async function storedResponse(
  requested: Pick<Requested, "services" | "caller">,
  found: FoundResponse,
): Promise<string> {
  const { runs, runtime } = requested.services;
  const { row, facts } = await load(requested, found);
  const head = await runs.head(row);
  if (!head || facts.first > head.nextIndex) throw noResponse(responseId(facts));
  const translator = new ResponseTranslator(facts);
  let unyielded = 0;
  for await (const bytes of runs.frames(row, head.nextIndex)) {
    translator.write(bytes);
    unyielded += bytes.length;
    if (unyielded < yieldBytes) continue;
    unyielded = 0;
    await nextTurn(runtime.clock);
  }
  if (!translator.isOver && head.firstKept > facts.first) translator.restore(contentOf(row));
  return translator.response(statuses[head.status]);
}

/** The answer of a run whose events are no longer kept. */
function contentOf(row: RunRow): string {
  return row.status === "COMPLETED" ? textOf(outputOf(row).content) : "";
}
