import { toJsonLine } from "../../model/frame.ts";
import type { AgUiEvent } from "./protocol.ts";

/** Attributes an event to a member. */
export interface Tag {
  readonly subagentRunId?: string;
}

/** Collects the frames of one event. */
export class Frames {
  readonly texts: string[] = [];

  add(event: AgUiEvent): void {
    this.texts.push(toJsonLine(event));
  }

  /** An event of the log without a counterpart, unchanged. `source` is as recorded. */
  addRaw(data: string, { subagentRunId }: Tag): void {
    const tag = subagentRunId === undefined ? "" : `,"subagentRunId":${JSON.stringify(subagentRunId)}`;
    this.texts.push(`{"type":"RAW","event":${data},"source":"agno"${tag}}`);
  }
}
