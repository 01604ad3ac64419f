/** Parameters in paths of the binding to plain HTTP. */
import { z } from "zod";
import { type Reader, reader } from "../../../http/input/decode.ts";
import { identifier } from "../../../http/input/identifiers.ts";

/** A component and a task of it; an operation on it may stand behind its id. */
export const taskPath: Reader<{ componentId: string; taskId: string }> = reader(
  z.object({ id: identifier, task_id: identifier }),
  ({ id, task_id: taskId }) => ({ componentId: id, taskId }),
);

/** The same with a push notification config of the task. */
export const configPath: Reader<{ componentId: string; taskId: string; configId: string }> = reader(
  z.object({ id: identifier, task_id: identifier, config_id: identifier }),
  ({ id, task_id: taskId, config_id: configId }) => ({ componentId: id, taskId, configId }),
);
