/**
 * Sends the deliveries of webhooks. A delivery is a durable job: any process sends it, at least once, with back-off, and in order for each run and
 * webhook.
 */
import { type Attempt, type AttemptEnd, JobRunner, type JobRunnerParts } from "../../engine/process/job-runner.ts";
import { optionsOf } from "../../model/run/stored-run.ts";
import type { Settings } from "../../model/settings.ts";
import { placeOfRunHook, type Webhook, type WebhookAddresses } from "../../model/webhook.ts";
import type { ClaimedJob } from "../../store/contract/jobs.ts";
import type { Store } from "../../store/contract/store.ts";
import type { DeliveryResult, DueDelivery, WebhookStore } from "../../store/contract/webhooks.ts";
import { DeliveryFailed, send } from "../outbound/send.ts";
import { messageBody, messageId } from "./message.ts";
import { signedHeaders } from "./sign.ts";

/** Dependencies of the sender. */
export interface WebhookSenderParts extends JobRunnerParts {
  readonly store: Pick<Store, "segments">;
  readonly webhooks: WebhookStore;
  readonly settings: Settings;
  /** The webhooks of the platform. */
  readonly platform: readonly Webhook[];
  /** Which addresses the webhooks of runs may have; false if runs have none. */
  readonly runWebhooks: WebhookAddresses | false;
}

/** The receiver of a delivery. */
type Receiver = Pick<Webhook, "url" | "secrets" | "allowHttp" | "allowPrivate">;

type Result = Pick<DeliveryResult, "statusCode" | "error"> & { readonly isDisabled?: boolean };

/** The only status that rules out a retry: the receiver says that it is gone. */
const finalStatuses: ReadonlySet<number> = new Set([410]);

/** Opens the sender of a platform's webhooks. */
export function openWebhookSender(parts: WebhookSenderParts): JobRunner<Result | undefined> {
  const { settings, webhooks } = parts;
  return new JobRunner<Result | undefined>(parts, {
    kind: "webhook",
    policy: {
      maxConcurrent: settings.maxConcurrentPushes,
      maxAttempts: settings.maxWebhookAttempts,
      retryInterval: settings.webhookRetryInterval,
      maxRetryInterval: settings.maxWebhookRetryInterval,
      sweepInterval: settings.pushSweepInterval,
    },
    execute: (job, signal) => deliver(parts, job, signal),
    record: (job, end) =>
      end.result === undefined
        ? parts.jobs.finish(job, { kind: "done" })
        : webhooks.finish(job, toResult(end, end.result)),
  });
}

async function deliver(
  parts: WebhookSenderParts,
  job: ClaimedJob,
  signal: AbortSignal,
): Promise<Attempt<Result | undefined> | undefined> {
  const { webhooks, jobs, runtime, settings } = parts;
  try {
    const delivery = await webhooks.read(job.id);
    // It was deleted with its run or its schedule.
    if (!delivery) return { outcome: "succeeds", result: undefined };
    if (delivery.isGone && placeOfRunHook(delivery.hookId) !== undefined)
      return { outcome: "failsForGood", result: { statusCode: null, error: goneText, isDisabled: true } };
    const receiver = receiverOf(parts, delivery);
    if (!receiver) return { outcome: "failsForGood", result: { statusCode: null, error: unknownText } };
    const body = await messageBody(parts.store, delivery, settings.maxPushBytes);
    // After a suspension of this process, another one may have sent it.
    if (signal.aborted || !(await jobs.isClaimValid(job))) return undefined;
    const headers = signedHeaders({ id: messageId(delivery), at: runtime.clock.now(), body }, receiver.secrets);
    const options = { clock: runtime.clock, rules: receiver, timeout: settings.pushTimeout, signal, finalStatuses };
    const statusCode = await send(receiver, { headers, body }, options);
    return { outcome: "succeeds", result: { statusCode, error: null } };
  } catch (error) {
    if (signal.aborted) return undefined;
    if (error instanceof DeliveryFailed) {
      const result = { statusCode: error.status ?? null, error: error.message };
      return { outcome: error.isFinal ? "failsForGood" : "fails", result };
    }
    runtime.log.warn({ error, delivery: job.id }, "A webhook message could not be built; trying again.");
    return { outcome: "fails", result: { statusCode: null, error: "the message could not be read" } };
  }
}

const goneText = "an earlier message of the run was answered with 410, which disables the webhook";
const unknownText = "the platform no longer defines this webhook";

function receiverOf({ platform, runWebhooks }: WebhookSenderParts, delivery: DueDelivery): Receiver | undefined {
  const { hookId, options } = delivery;
  const place = placeOfRunHook(hookId);
  if (place === undefined) return platform.find(({ id }) => id === hookId);
  const own = options === null || runWebhooks === false ? undefined : optionsOf({ options }).webhooks?.[place];
  if (!own || runWebhooks === false) return undefined;
  return { ...own, allowHttp: runWebhooks.allowHttp ?? false, allowPrivate: runWebhooks.allowPrivate ?? false };
}

function toResult(end: AttemptEnd<unknown>, { isDisabled, ...result }: Result): DeliveryResult {
  if (end.kind === "retry") return { ...result, state: "pending", retryIn: end.delay };
  return { ...result, state: end.kind === "done" ? "delivered" : isDisabled ? "disabled" : "failed", retryIn: 0 };
}
