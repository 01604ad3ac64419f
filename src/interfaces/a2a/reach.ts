/** Sends a message together with its push target, and waits for the end of its task. */
import type { ServerResponse } from "node:http";
import { defaultRetryAfter, InvariantError, TroupeError } from "../../errors.ts";
import { unreadableText } from "../../http/streams/resume.ts";
import { beyondAnyEnd, followFrom, waitForEnd } from "../../http/streams/sse.ts";
import type { PushTarget } from "../../model/push.ts";
import type { RunRef } from "../../store/contract/store.ts";
import { findTask, type Reached, type Sending, send, type Visit } from "./door.ts";

/**
 * Sends a message. Its push target is stored before the message is delivered, so that the target receives every change.
 *
 * @throws TroupeError as `send`, and `validation` for one target too many
 */
export async function reach(visit: Visit, sending: Sending, target: PushTarget | undefined): Promise<Reached> {
  if (!target) return await send(visit, sending);
  const { pushes } = visit.services;
  if (!pushes) throw new InvariantError("A push target was read where there are none");
  const { taskId, contextId } = sending.message;
  if (taskId !== undefined) {
    const run = await findTask(visit, taskId, contextId);
    await pushes.put(run.key, target);
    return await send(visit, sending);
  }
  const reached = await send(visit, { ...sending, pushTargets: [target] });
  pushes.watch(reached.run.key);
  return reached;
}

/** Waits until a task ends or pauses; false if the client disconnects first. @throws TroupeError `unavailable`, `notFound` */
export async function isSettled({ services }: Visit, response: ServerResponse, run: RunRef): Promise<boolean> {
  const end = await waitForEnd(response, followFrom(services.logs, run.key, { cursor: beyondAnyEnd }));
  if (end?.kind === "interrupted") {
    const text = `The task ${run.runId} goes on, but this server cannot wait for it: ask for it later.`;
    throw new TroupeError("unavailable", text, { retryAfter: defaultRetryAfter });
  }
  if (end?.kind === "unreadable") throw new TroupeError("internal", unreadableText(run.runId));
  if (end?.kind === "deleted") throw new TroupeError("notFound", "Task not found");
  return end !== undefined;
}
