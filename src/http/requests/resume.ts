/** The form that resumes a stream. */
import { z } from "zod";
import type { ComponentKind } from "../../model/run.ts";
import type { BodySpec } from "../input/body.ts";
import { type Reader, reader } from "../input/decode.ts";
import { identifier } from "../input/identifiers.ts";

/** Where a reader wants to go on. */
export interface ResumeForm {
  /** Index of the last event it received, as it said it; undefined when it said none. */
  readonly lastEventIndex: number | undefined;
  readonly sessionId: string | undefined;
  /** Whether the stream waits across a pause of the run. */
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

/** The header by which standard clients of server-sent events say the same. */
export const lastEventId: Reader<number | undefined> = reader(header, (fields) => fields["last-event-id"] ?? undefined);
