/** Deliveries of webhooks: messages about runs and schedules, with the results of their attempts. */
import type { Principal } from "../../model/principal.ts";
import type { ComponentKind } from "../../model/run/run.ts";
import type { DeliveryState, WebhookEvent } from "../../model/webhook.ts";
import type { ClaimedJob } from "./jobs.ts";

/** The run that a delivery is about. */
export interface DeliveryRun {
  readonly key: number;
  readonly runId: string;
  readonly sessionId: string;
  readonly userId: string | null;
  readonly kind: ComponentKind;
  readonly componentId: string;
  readonly componentName: string;
}

/** The fire that a delivery is about. */
export interface DeliveryFire {
  readonly id: string;
  readonly scheduleId: string;
}

/** A delivery. */
export interface Delivery {
  readonly key: number;
  readonly id: string;
  readonly hookId: string;
  readonly event: WebhookEvent;
  readonly eventIndex: number | null;
  /** Null for an event of a schedule. */
  readonly run: DeliveryRun | null;
  /** Null for an event of a run. */
  readonly fire: DeliveryFire | null;
  readonly state: DeliveryState;
  readonly attempts: number;
  /** Status of the latest answer; null for none. */
  readonly statusCode: number | null;
  readonly error: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A delivery that is to be sent. */
export interface DueDelivery extends Delivery {
  /** JSON text of the run's options, which contain its own webhooks; null for an event of a schedule. */
  readonly options: string | null;
  /** Whether the receiver answered an earlier message of the run with 410. */
  readonly isGone: boolean;
}

/** The result of an attempt. */
export interface DeliveryResult {
  readonly state: DeliveryState;
  readonly statusCode: number | null;
  readonly error: string | null;
  /** Milliseconds until the next attempt, if the state is `pending`. */
  readonly retryIn: number;
}

/** A page of deliveries. */
export interface DeliveryQuery {
  readonly state?: DeliveryState | undefined;
  readonly event?: WebhookEvent | undefined;
  readonly hookId?: string | undefined;
  readonly runId?: string | undefined;
  readonly scheduleId?: string | undefined;
  readonly limit: number;
  /** Only deliveries before this key. */
  readonly before?: number | undefined;
}

/** The deliveries of a database. */
export interface WebhookStore {
  /** Reads the delivery of a job; undefined if it was deleted with its run. */
  read(id: string): Promise<DueDelivery | undefined>;
  /** Records the result of an attempt and ends the attempt, in one transaction. Returns false when another claim holds the job. */
  finish(job: ClaimedJob, result: DeliveryResult): Promise<boolean>;
  /** Deliveries that the caller may see, newest first. A page scans a bounded number of rows, so it may be short; `next` continues it. */
  list(
    caller: Principal,
    query: DeliveryQuery,
  ): Promise<{ readonly deliveries: readonly Delivery[]; readonly next: number | null }>;
  find(caller: Principal, id: string): Promise<Delivery | undefined>;
  /** Sends a delivery again, with the same id. Nothing changes if it is pending. Call it only after finding the delivery as the caller. */
  replay(id: string): Promise<void>;
}
