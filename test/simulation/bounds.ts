/** Checks the bounds of all buffers after every step. */
import type { World } from "./world.ts";

/**
 * Bytes by which a run may exceed its bound. A producer checks the bound after it has added data, and the end of a step is added without a check:
 * an answer up to four times (by a member, by its leader's tool, by the leader).
 */
const slack = (said: number): number => 40_000 + 5 * said;

export function checkBounds(world: World): void {
  const { plan, guarantees } = world;
  const { settings } = plan;
  for (const process of world.processes) {
    if (!process || process.isDead) continue;
    let pending = 0;
    let allowed = settings.maxTotalPendingBytes;
    let kept = 0;
    for (const [key, writer] of process.journal.writers) {
      const more = slack(guarantees.roots.get(key)?.said ?? 0);
      if (writer.pendingBytes > settings.maxPendingBytes + more)
        guarantees.fail("L8", `Run ${key} has ${writer.pendingBytes} bytes that are not durable.`);
      pending += writer.pendingBytes;
      allowed += more;
      const ring = process.live.get(key)?.ring.bytes ?? 0;
      kept += ring;
      if (ring > settings.maxRingBytes) guarantees.fail("L8", `The ring of run ${key} has ${ring} bytes.`);
    }
    if (pending > allowed) guarantees.fail("L8", `${process.name} has ${pending} bytes that are not durable.`);
    if (kept > settings.maxTotalRingBytes) guarantees.fail("L8", `The rings of ${process.name} have ${kept} bytes.`);
  }
}
