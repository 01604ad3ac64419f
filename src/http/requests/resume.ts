/** The form that resumes a stream, and the same fields as a query. */
import { z } from "zod";
import type { ComponentKind } from "../../model/run/run.ts";
import type { BodySpec } from "../input/body.ts";
import { type Reader, reader } from "../input/decode.ts";
import { identifier } from "../input/identifiers.ts";

/** The position at which a reader resumes. */
export interface ResumeForm {
  /** Index of the last event that the client reports as received; undefined if it reports none. */
  readonly lastEventIndex: number | undefined;
  readonly sessionId: string | undefined;
  /** Whether the stream stays open while the run is paused. */
  readonly acrossPauses: boolean;
}

const fields = z.object({
  last_event_index: z.int().nullish(),
  session_id: identifier.nullish(),
  follow: z.boolean().default(false),
});

const form: Reader<ResumeForm> = reader(fields, ({ last_event_index, session_id, follow }) => ({
  lastEventIndex: last_event_index ?? undefined,
  sessionId: session_id ?? undefined,
  acrossPauses: follow,
}));

/** The query of `GET …/events`. */
export const eventsQuery: Reader<ResumeForm> = form;

/** The body of `POST …/resume`. */
export function resumeBody(kind: ComponentKind): BodySpec<ResumeForm> {
  return {
    name: `Body_resume_${kind}_run_stream`,
    reader: form,
    types: ["urlencoded", "multipart", "json"],
    required: false,
  };
}

const header = z.object({ "last-event-id": z.int().nullish() });

/** The header in which standard SSE clients report the same index. */
export const lastEventId: Reader<number | undefined> = reader(header, (fields) => fields["last-event-id"] ?? undefined);
