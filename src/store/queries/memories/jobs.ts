/** The jobs that extract memories from ended runs. */
import { digest } from "../usage/days.ts";

/** Their kind. The id of a job is the id of its run. */
export const memoryJob = "memory";

/** Jobs of one user execute one at a time, so that each of them sees the memories of the one before. */
export function memoryLane(userId: string): string {
  return digest(userId);
}
