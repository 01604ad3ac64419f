/** Paths and queries of run routes. */
import { z } from "zod";
import { type WireRunStatus, wireRunStatuses } from "../../model/run.ts";
import { type Reader, reader } from "../decode.ts";
import { identifier } from "../identifiers.ts";

/** Ids in the path of a component. */
export function componentPath(idParam: string): Reader<{ componentId: string }> {
  return reader(z.object({ [idParam]: identifier }), (fields) => ({ componentId: String(fields[idParam]) }));
}

/** Ids in the path of a run. */
export function runPath(idParam: string): Reader<{ componentId: string; runId: string }> {
  return reader(z.object({ [idParam]: identifier, run_id: identifier }), (fields) => ({
    componentId: String(fields[idParam]),
    runId: String(fields.run_id),
  }));
}

const statuses: readonly WireRunStatus[] = wireRunStatuses;

/** Which runs of a component are listed. */
export const listQuery: Reader<{ sessionId: string; status: WireRunStatus | undefined }> = reader(
  z.object({ session_id: identifier, status: z.enum(statuses as [WireRunStatus, ...WireRunStatus[]]).nullish() }),
  ({ session_id, status }) => ({ sessionId: session_id, status: status ?? undefined }),
);

/** Which session a run is read from. */
export const sessionQuery: Reader<{ sessionId: string }> = reader(
  z.object({ session_id: identifier }),
  ({ session_id }) => ({ sessionId: session_id }),
);

/** Which session a run must be of, when the caller says. */
export const optionalSessionQuery: Reader<{ sessionId: string | undefined }> = reader(
  z.object({ session_id: identifier.nullish() }),
  ({ session_id }) => ({ sessionId: session_id ?? undefined }),
);
