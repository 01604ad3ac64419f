/** The fixture's records: what the previous release's server answered about the rows that it wrote. */
import { createHash } from "node:crypto";
import type { StreamClient } from "../support/stream-client.ts";

/** A run of the fixture. */
export interface RecordedRun {
  /** What the run is for, for example `paused`. */
  readonly name: string;
  /** `agents/talker`, for example. */
  readonly component: string;
  readonly runId: string;
  readonly sessionId: string;
  /** Status when the server was killed. */
  readonly status: string;
  /** Events that a client had received, and the SHA-256 of their bytes. */
  readonly events: number;
  readonly sha256: string;
}

/** Everything that is known about a fixture's database. */
export interface Recorded {
  readonly runs: readonly RecordedRun[];
  readonly scheduleId: string;
  /** Records of the schedule's fires. */
  readonly fires: number;
  readonly accountToken: string;
  readonly deletedSession: string;
  readonly regenerated: string;
  /** Rows of each table. */
  readonly rows: Readonly<Record<string, number>>;
}

/** The fixture's records on each database, and the release that wrote it. */
export interface FixtureRecords {
  readonly release: string;
  readonly securityKey: string;
  readonly sqlite: Recorded;
  readonly postgres: Recorded;
}

/** Hash and number of a log's frames, up to a number of events. */
export function digest(frames: readonly { readonly raw: string }[]): {
  readonly events: number;
  readonly sha256: string;
} {
  const hash = createHash("sha256");
  for (const { raw } of frames) hash.update(raw);
  return { events: frames.length, sha256: hash.digest("hex") };
}

/** The header of an operator. */
export const asOperator = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` });

/** Sends a JSON body, and throws unless the status is 2xx. */
export async function sendJson(
  client: StreamClient,
  method: string,
  path: string,
  body: unknown,
  headers: Record<string, string>,
  // biome-ignore lint/suspicious/noExplicitAny: callers read fields of untyped data
): Promise<any> {
  const response = await fetch(new URL(path, client.address), {
    method,
    headers: { ...headers, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} returned ${response.status}: ${text}`);
  return text === "" ? undefined : JSON.parse(text);
}
