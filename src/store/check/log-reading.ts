/** Reads the rows of a log, and finds gaps in it and bytes that are no events. */
import { eachFrame, frameData, frameName } from "../../model/frame.ts";
import { isTerminal, type RunStatus } from "../../model/run/run.ts";
import { encodings } from "../encryption/frames.ts";
import { decode } from "../queries/logs/heads.ts";

/** A row of a log. */
export interface SegmentRow {
  readonly firstIndex: number;
  readonly lastIndex: number;
  readonly encoding: number;
  readonly size: number;
  readonly frames: Buffer;
}

/** A log that is read row by row. */
export class LogReading {
  /** Events that were read. */
  events = 0;
  /** Index of the event that must follow. */
  next: number;
  /** Name of the last event; undefined while none was read, and if it is encrypted. */
  lastName: string | undefined;

  constructor(firstKept: number) {
    this.next = firstKept;
  }

  /**
   * Reads the next row. A row may begin with events that were read before: compaction joins rows at any time.
   * @throws Error when events are missing before it, or when its bytes are not its events
   */
  read(segment: SegmentRow): void {
    if (segment.firstIndex > this.next)
      throw new Error(`a part of the log is missing: the next stored event is ${segment.firstIndex}`);
    if (segment.encoding >= encodings.sealedPlain) {
      // No key is needed for a check or a backup: of encrypted frames, only the indexes are checked.
      this.events += Math.max(0, segment.lastIndex + 1 - this.next);
      this.lastName = undefined;
      this.next = Math.max(this.next, segment.lastIndex + 1);
      return;
    }
    let index = segment.firstIndex;
    for (const frame of eachFrame(decode(0, segment, undefined).frames)) {
      const { event_index } = JSON.parse(frameData(frame)) as { readonly event_index: unknown };
      if (event_index !== index) throw new Error("not the bytes of an event");
      if (index >= this.next) {
        this.events += 1;
        this.lastName = frameName(frame);
        this.next = index + 1;
      }
      index += 1;
    }
    if (index !== segment.lastIndex + 1) throw new Error("not the bytes of an event");
  }
}

/** The last event of an ended run, by the names of agents, teams and workflows. */
const terminalEvent = /(Completed|Error|Cancelled)$|^WorkflowRunOutput$/;

/** Why a root run's log does not fit the run's status; undefined if it does. The events of an old run may be removed: then it has none. */
export function faultOfEnd(status: RunStatus, { next, lastName }: LogReading): string | undefined {
  if (!isTerminal(status) || (lastName === undefined && next > 0)) return undefined;
  if (lastName === undefined) return `the run is ${status}, and has no events`;
  return terminalEvent.test(lastName) ? undefined : `the run is ${status}, and its log ends with ${lastName}`;
}
