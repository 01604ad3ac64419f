/** Follows a part of a run: to a client as a stream, or until it is over. */

import { defaultRetryAfter, TroupeError } from "../../../errors.ts";
import type { LogItem } from "../../../events/run-logs.ts";
import { unreadableText } from "../../../http/streams/meta-frames.ts";
import type { Stream } from "../../../http/streams/sse.ts";
import type { Runs } from "../../../runs/runs.ts";
import { type Part, responseId } from "../names.ts";

/** Translates the log of one part of a run. */
export interface Translator {
  readonly isOver: boolean;
  write(bytes: Buffer): string;
}

/** A part of a run whose log is read. */
export interface FollowedPart extends Part {
  readonly key: number;
}

/** The last output of a stream whose part of the run has no end in it. */
export interface LastWords {
  /** The server cannot wait any longer. The run continues. */
  readonly interrupted: () => string;
  readonly failed: (code: string, message: string) => string;
}

/** The stream of a part of a run, for `sendStream`. It ends where the part ends, also if the run continued meanwhile. */
export function partStream(
  runs: Pick<Runs, "follow">,
  part: FollowedPart,
  translator: Translator,
  last: LastWords,
): Stream {
  const { runId, first } = part;
  return {
    opening: "",
    cursor: first - 1,
    follow: (signal) => upToEnd(runs, part, translator, signal),
    farewell: last.interrupted,
    translate(item) {
      if (item.kind === "frames") return [translator.write(item.bytes)];
      if (item.kind === "deleted") return [last.failed("not_found", "The response was deleted.")];
      if (item.kind === "unreadable") return [last.failed("server_error", unreadableText(runId))];
      if (item.kind === "gap")
        return [last.failed("events_not_kept", "The events of the response are no longer kept.")];
      return [];
    },
  };
}

async function* upToEnd(
  runs: Pick<Runs, "follow">,
  { key, first }: FollowedPart,
  translator: Translator,
  signal: AbortSignal,
): AsyncGenerator<LogItem, void> {
  for await (const item of runs.follow({ key }, { cursor: first - 1 })(signal)) {
    yield item;
    if (translator.isOver || item.kind === "gap") return;
  }
}

/**
 * Reads a part of a run until it is over. Returns false if the client disconnects first.
 *
 * @throws TroupeError `runContinues` if this server cannot wait for it, `conflict` if its events are no longer kept, `notFound` if the run is deleted,
 * `internal`
 */
export async function readToEnd(
  runs: Pick<Runs, "follow">,
  part: FollowedPart,
  translator: Translator,
  signal: AbortSignal,
): Promise<boolean> {
  for await (const item of upToEnd(runs, part, translator, signal)) {
    if (item.kind === "frames") translator.write(item.bytes);
    if (item.kind === "deleted") throw new TroupeError("notFound", "The response was deleted.");
    if (item.kind === "unreadable") throw new TroupeError("internal", unreadableText(part.runId));
    if (item.kind === "gap") {
      const text = `The events of the response are no longer kept. GET /v1/responses/${responseId(part)} has its answer.`;
      throw new TroupeError("conflict", text);
    }
    if (item.kind === "interrupted") {
      const text =
        "The run continues, but this server cannot wait for it. Read the response later instead of creating it again.";
      throw new TroupeError("runContinues", text, { retryAfter: defaultRetryAfter });
    }
  }
  return translator.isOver || !signal.aborted;
}
