/** Path parameters of the HTTP binding. */
import { z } from "zod";
import { type Reader, reader } from "../../../http/input/decode.ts";
import { identifier } from "../../../http/input/identifiers.ts";

/** A component and one of its tasks; the task's id may be followed by an operation. */
export const taskPath: Reader<{ componentId: string; taskId: string }> = reader(
  z.object({ id: identifier, task_id: identifier }),
  ({ id, task_id: taskId }) => ({ componentId: id, taskId }),
);

/** A component, one of its tasks, and one of the task's push notification configs. */
export const configPath: Reader<{ componentId: string; taskId: string; configId: string }> = reader(
  z.object({ id: identifier, task_id: identifier, config_id: identifier }),
  ({ id, task_id: taskId, config_id: configId }) => ({ componentId: id, taskId, configId }),
);
