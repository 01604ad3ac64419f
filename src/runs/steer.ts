/** Puts messages into live runs. */
import { createHash } from "node:crypto";
import { isFactory } from "../define/factory.ts";
import { redactorOf } from "../define/guardrails/redact.ts";
import { isRemote } from "../define/remote.ts";
import type { Idempotency } from "../engine/run/idempotency.ts";
import { TroupeError, valueFault } from "../errors.ts";
import type { Principal } from "../model/principal.ts";
import { isTerminal, type RunStatus } from "../model/run/run.ts";
import type { SteeringMode } from "../model/run/steering.ts";
import type { LocatedRun } from "../store/contract/store.ts";
import { componentOfRun, findExecuted, findRun, type RunName, type SessionRule } from "./find.ts";
import { checkSize } from "./limits/sizes.ts";
import type { RunParts } from "./parts.ts";

/** A message for a live run. */
export interface SteerCommand {
  readonly message: string;
  readonly mode: SteeringMode;
  /** Id of the message, if the sender gave it one. It need not be unique. */
  readonly messageId?: string | undefined;
  /** Repeated requests with the same key put the message into the run once. */
  readonly idempotency?: Idempotency | undefined;
  readonly sessionRule?: SessionRule | undefined;
}

/** An accepted message. */
export interface SteeredRun {
  readonly run: LocatedRun;
  readonly messageId: string;
  readonly mode: SteeringMode;
  /** State of the run when it accepted the message. */
  readonly status: RunStatus;
  readonly isRepeated: boolean;
}

/**
 * Puts a user message into a live run of an agent or a team; resolves when the message is durable. The run takes it before its next model request, also
 * if the model has just given its answer. Any process accepts it.
 *
 * @throws TroupeError `notFound`, `unavailable`, `conflict` (the run is over, or is a workflow's or a remote component's), `badRequest` (an empty message), `tooLarge`,
 * `tooManyRequests` (the run has accepted too many messages), `validation` (the idempotency key belongs to another message)
 */
export async function steerRun(
  parts: RunParts,
  caller: Principal,
  name: RunName,
  { message, mode, messageId, idempotency, sessionRule }: SteerCommand,
): Promise<SteeredRun> {
  const entry = await findExecuted(parts, caller, name);
  const run = await findRun(parts, caller, name, { sessionRule });
  if (run.kind === "workflow")
    throw new TroupeError("conflict", "The run of a workflow takes no messages: its steps define what it does.");
  if (entry && isRemote(entry)) throw new TroupeError("conflict", "The run of a remote component takes no messages.");
  if (message.trim() === "") throw new TroupeError("badRequest", "The message is empty.");
  checkSize(parts, { message });
  const component = await componentOfRun(parts, caller, run);
  const outcome = await parts.engine.steer(run, {
    id: messageId ?? parts.runtime.randomness.uuid(),
    content: isFactory(component) ? message : (redactorOf(component, "input")?.(message) ?? message),
    mode,
    ...(caller.userId !== null && caller.userId !== run.userId && { userId: caller.userId }),
    ...(idempotency && { key: digestOf([caller.userId, idempotency.key]), fingerprint: idempotency.fingerprint }),
  });
  if (outcome.kind === "gone") throw new TroupeError("notFound", "Run not found");
  if (outcome.kind === "over") throw overError(outcome.status);
  if (outcome.kind === "full")
    throw new TroupeError("tooManyRequests", "The run has accepted as many messages as it can.");
  const { message: accepted, status, isRepeated } = outcome;
  if (isRepeated && accepted.fingerprint !== idempotency?.fingerprint) throw anotherMessage();
  return { run, messageId: accepted.id, mode: accepted.mode, status, isRepeated };
}

function overError(status: RunStatus): TroupeError {
  const state = isTerminal(status) ? `is ${status}` : "is being cancelled";
  return new TroupeError("conflict", `The run ${state} and takes no more messages: start another run in its session.`);
}

function anotherMessage(): TroupeError {
  const msg = "This Idempotency-Key was used for another message: send the same request again, or another key.";
  return new TroupeError("validation", msg, { faults: [valueFault(["header", "idempotency-key"], msg)] });
}

function digestOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("base64url");
}
