/** The limits of one run, and what it and the runs under it have used. */

import type { Message, PlacedMessage, RequestPurpose, TurnMetrics } from "../../model/run/message.ts";
import type { RecordedRequest } from "../../model/run/recorded-request.ts";
import { toNanos } from "../../model/usage/cost.ts";
import type { UsageSums } from "../../store/contract/store.ts";
import type { AnsweredPauseTime } from "../run/recovery.ts";
import type { Bound } from "./bounds.ts";

/** Sums that change. */
type OpenSums = { -readonly [Name in keyof UsageSums]: UsageSums[Name] };

export function noUsage(): OpenSums {
  return { tokens: 0, nanos: 0, modelRequests: 0, toolCalls: 0 };
}

/** The usage that a message reports; undefined if it reports none. A message is stored in the flush that counts its usage. */
export function usageOfMessage(message: Message): UsageSums | undefined {
  if (message.role === "tool") return { ...noUsage(), toolCalls: 1 };
  // An assistant message without metrics is a call that the engine made.
  return message.role === "assistant" && message.metrics ? usageOfRequest(message.metrics) : undefined;
}

/** The usage of a model request. */
export function usageOfRequest({ total_tokens = 0, cost = 0 }: TurnMetrics, purpose?: RequestPurpose): UsageSums {
  // The embedding of a query takes tokens, and is no answer of a model.
  const modelRequests = purpose === "embedding_model" ? 0 : 1;
  return { tokens: total_tokens, nanos: toNanos(cost), modelRequests, toolCalls: 0 };
}

type MonotonicClock = { monotonic(): number };

/** The limits of a root run, or a component's own limits within a team or a workflow. */
export class Level {
  readonly bounds: readonly Bound[];
  /** Whether it belongs to the root run, which then ends as a whole. A member's own limits end the member only. */
  readonly isRoot: boolean;
  /** Usage of the run and the runs under it. */
  readonly sums: OpenSums = noUsage();
  /** Model requests and tool calls in progress. */
  readonly open: OpenSums = noUsage();
  readonly #clock: MonotonicClock;
  readonly #begun: number;
  /** Milliseconds that earlier attempts executed. */
  #before = 0;

  constructor(bounds: readonly Bound[], isRoot: boolean, clock: MonotonicClock) {
    this.bounds = bounds;
    this.isRoot = isRoot;
    this.#clock = clock;
    this.#begun = clock.monotonic();
  }

  /** Milliseconds for which the run has executed, in all its attempts. */
  get duration(): number {
    return this.#before + Math.round(this.#clock.monotonic() - this.#begun);
  }

  add(usage: UsageSums): void {
    this.sums.tokens += usage.tokens;
    this.sums.nanos += usage.nanos;
    this.sums.modelRequests += usage.modelRequests;
    this.sums.toolCalls += usage.toolCalls;
  }

  /**
   * Adds what earlier attempts of the run and of the runs under it have used. They executed from their first to their last message, without the pauses
   * in between.
   */
  restore(
    messages: readonly PlacedMessage[],
    pauses: readonly AnsweredPauseTime[],
    requests: readonly RecordedRequest[] = [],
  ): void {
    for (const { metrics, purpose } of requests) this.add(usageOfRequest(metrics, purpose));
    let first = Number.POSITIVE_INFINITY;
    let last = Number.NEGATIVE_INFINITY;
    for (const { message, createdAt } of messages) {
      const usage = usageOfMessage(message);
      if (usage) this.add(usage);
      first = Math.min(first, createdAt);
      last = Math.max(last, createdAt);
    }
    if (messages.length === 0) return;
    // The pause that the last message precedes is no part of this time.
    const paused = pauses.map(({ from, until }) => Math.max(0, Math.min(until, last) - Math.max(from, first)));
    this.#before += Math.max(0, last - first - paused.reduce((sum, time) => sum + time, 0));
  }
}
