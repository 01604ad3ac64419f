/** Builds the body of a webhook message. It contains the stored event of the run as it stands in the log. */
import { eachFrame, frameData } from "../../model/frame.ts";
import { optionsOf } from "../../model/run/stored-run.ts";
import type { Store } from "../../store/contract/store.ts";
import type { DueDelivery } from "../../store/contract/webhooks.ts";

/** The id of the message: the same for every attempt, and for every webhook that receives the event. */
export function messageId({ id, hookId }: Pick<DueDelivery, "id" | "hookId">): string {
  return id.slice(0, -(hookId.length + 1));
}

/** The body of a delivery. An event that is larger than `maxBytes`, or that is no longer kept, is left out. */
export async function messageBody(
  store: Pick<Store, "segments">,
  delivery: DueDelivery,
  maxBytes: number,
): Promise<string> {
  const { event: type, createdAt, run, fire } = delivery;
  const timestamp = new Date(createdAt).toISOString();
  if (!run) {
    const data = { schedule_id: fire?.scheduleId, fire_id: fire?.id };
    return JSON.stringify({ type, timestamp, data });
  }
  const { metadata } = delivery.options === null ? {} : optionsOf({ options: delivery.options });
  const data = {
    run_id: run.runId,
    session_id: run.sessionId,
    user_id: run.userId,
    component_type: run.kind,
    component_id: run.componentId,
    component_name: run.componentName,
    metadata: metadata ?? null,
    event_index: delivery.eventIndex,
  };
  const stored = await storedEvent(store, run.key, delivery.eventIndex ?? 0);
  const event = stored !== undefined && Buffer.byteLength(stored) <= maxBytes ? stored : "null";
  // The event is not parsed and serialised again: its text is the same on every surface.
  return `{"type":${JSON.stringify(type)},"timestamp":"${timestamp}","data":{${JSON.stringify(data).slice(1, -1)},"event":${event}}}`;
}

/** The JSON text of an event; undefined if it is no longer kept. */
async function storedEvent(store: Pick<Store, "segments">, key: number, index: number): Promise<string | undefined> {
  for (const { firstIndex, lastIndex, frames } of await store.segments(key, index - 1, 1)) {
    if (index < firstIndex || index > lastIndex) continue;
    let at = firstIndex;
    for (const frame of eachFrame(frames)) {
      if (at === index) return frameData(frame);
      at++;
    }
  }
  return undefined;
}
