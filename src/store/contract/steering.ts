/** Messages that callers put into live runs. */
import type { RunStatus } from "../../model/run/run.ts";
import type { NumberedMessage, SteeringMessage } from "../../model/run/steering.ts";

/** The result of putting a message into a run. */
export type SteeringOutcome =
  /** Durable. `isRepeated`: an earlier request with the same idempotency key put it there. */
  | {
      readonly kind: "accepted";
      readonly message: NumberedMessage;
      readonly status: RunStatus;
      readonly isRepeated: boolean;
    }
  /** The run is over, or a cancel is requested. */
  | { readonly kind: "over"; readonly status: RunStatus }
  /** The run has accepted as many messages as it may. */
  | { readonly kind: "full" }
  /** There is no such run. */
  | { readonly kind: "gone" };

export interface SteeringStore {
  /** Puts a message into a root run that is not over. A run cannot complete before it has taken the message. */
  steer(key: number, message: SteeringMessage, at: number): Promise<SteeringOutcome>;
  /** The messages of a run after a number, in order. */
  steeringMessages(key: number, after: number): Promise<readonly NumberedMessage[]>;
}
