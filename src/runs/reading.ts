/** Read-only calls, which a standby of the database may serve. */
import type { ReadStores } from "../store/contract/standby.ts";
import type { RunParts } from "./parts.ts";

/** Dependencies of read-only calls. */
export type ReadParts = Pick<RunParts, "platform" | "registry" | "runtime"> & ReadStores;

/** Runs a read-only call on the primary or on a standby. In both cases it sees everything that was visible when it began. */
export async function reading<T>(parts: RunParts, call: (parts: ReadParts) => Promise<T>): Promise<T> {
  if (parts.reads === undefined) return await call(parts);
  return await parts.reads.read((stores) => call({ ...parts, ...stores }));
}
