/** The body of a message for a live run. */
import { z } from "zod";
import type { ComponentKind } from "../../model/run/run.ts";
import { type SteeringMode, steeringModes } from "../../model/run/steering.ts";
import type { BodySpec } from "../input/body.ts";
import { type Reader, reader } from "../input/decode.ts";
import { identifier } from "../input/identifiers.ts";

/** A message for a live run. */
export interface MessageForm {
  readonly message: string;
  readonly mode: SteeringMode;
  readonly sessionId: string | undefined;
}

const form: Reader<MessageForm> = reader(
  z.object({
    message: z.string(),
    mode: z
      .enum(steeringModes)
      .default("queue")
      .describe("`queue`: before the next model request. `interrupt`: at once; the current model request is stopped."),
    session_id: identifier.nullish(),
  }),
  ({ message, mode, session_id }) => ({ message, mode, sessionId: session_id ?? undefined }),
);

/** The body of `POST …/messages`. */
export function messageBody(kind: ComponentKind): BodySpec<MessageForm> {
  return {
    name: `Body_send_${kind}_run_message`,
    reader: form,
    types: ["multipart", "urlencoded", "json"],
    required: true,
  };
}
