/** What a root run and the runs under it have used, and how much its limits allow after raises. */
import { toNanos } from "../../model/cost.ts";
import type { Message, PlacedMessage } from "../../model/message.ts";
import type { CountedUsage, UsageSums } from "../../store/contract/store.ts";
import { counterName, type UsageCounter } from "../../store/contract/usage.ts";
import type { Recovery } from "../run/recovery.ts";
import type { Bound } from "./bounds.ts";
import { limitRaisedBy, type RaiseAnswer } from "./raise-answers.ts";

/** Sums that change. */
export type OpenSums = { -readonly [Name in keyof UsageSums]: UsageSums[Name] };

export function noUsage(): OpenSums {
  return { tokens: 0, nanos: 0, modelRequests: 0, toolCalls: 0 };
}

/** The usage that a message reports; undefined if it reports none. A message is stored in the flush that counts its usage. */
export function usageOfMessage(message: Message): UsageSums | undefined {
  if (message.role === "tool") return { ...noUsage(), toolCalls: 1 };
  // An assistant message without metrics is a call that the engine made.
  if (message.role !== "assistant" || !message.metrics) return undefined;
  const { total_tokens = 0, cost = 0 } = message.metrics;
  return { tokens: total_tokens, nanos: toNanos(cost), modelRequests: 1, toolCalls: 0 };
}

export function addUsage(sum: OpenSums, more: UsageSums): void {
  sum.tokens += more.tokens;
  sum.nanos += more.nanos;
  sum.modelRequests += more.modelRequests;
  sum.toolCalls += more.toolCalls;
}

/** Adds the usage of stored messages. */
export function addMessages(sum: OpenSums, messages: readonly PlacedMessage[]): void {
  for (const { message } of messages) {
    const usage = usageOfMessage(message);
    if (usage) addUsage(sum, usage);
  }
}

/** The state that the meters of one root run share. */
export class RunUsage {
  /** Latest known totals of shared counters, by the counter's name. */
  readonly #totals = new Map<string, CountedUsage>();
  /** Raises by limit, in the limit's unit. */
  readonly #raises = new Map<string, number>();
  readonly #rejected = new Set<string>();
  readonly #clock: { monotonic(): number };
  readonly #begun: number;
  /** Milliseconds that earlier attempts executed. */
  readonly #before: number;

  constructor(clock: { monotonic(): number }, recovery: Recovery | undefined) {
    this.#clock = clock;
    this.#begun = clock.monotonic();
    this.#before = recovery ? executedBefore(recovery) : 0;
    const marks = recovery ? [recovery.marks, ...recovery.members.map((member) => member.marks)] : [];
    for (const [name, value] of marks.flatMap((each) => [...each])) this.#takeMark(name, value);
  }

  /** Milliseconds for which the run has executed, in all its attempts. */
  get duration(): number {
    return this.#before + Math.round(this.#clock.monotonic() - this.#begun);
  }

  /** The limit with its raises. */
  raised(bound: Bound): Bound {
    const raise = this.#raises.get(bound.id);
    return raise === undefined ? bound : { ...bound, allowed: bound.allowed + raise };
  }

  /** Whether an approver has rejected to raise the limit. */
  isRejected({ id }: Bound): boolean {
    return this.#rejected.has(id);
  }

  total(counter: UsageCounter): CountedUsage | undefined {
    return this.#totals.get(counterName(counter));
  }

  /** Takes totals from the database. They only grow, so the largest ones are the newest, in whatever order they arrive. */
  takeTotals(totals: readonly CountedUsage[]): void {
    for (const total of totals) {
      const name = counterName(total);
      const known = this.#totals.get(name) ?? total;
      this.#totals.set(name, {
        ...total,
        tokens: Math.max(total.tokens, known.tokens),
        nanos: Math.max(total.nanos, known.nanos),
        modelRequests: Math.max(total.modelRequests, known.modelRequests),
        toolCalls: Math.max(total.toolCalls, known.toolCalls),
      });
    }
  }

  #takeMark(name: string, value: unknown): void {
    const id = limitRaisedBy(name);
    if (id === undefined) return;
    const { confirmed, values } = value as RaiseAnswer;
    if (confirmed === false) this.#rejected.add(id);
    const raise = Number(values?.raise ?? 0);
    const [, , , metric] = JSON.parse(id) as string[];
    this.#raises.set(id, (this.#raises.get(id) ?? 0) + (metric === "cost" ? toNanos(raise) : raise));
  }
}

/** The time from the first to the last stored message, without the pauses in between. */
function executedBefore({ messages, members, pausedFor }: Recovery): number {
  const times = [...messages, ...members.flatMap((member) => member.messages)].map(({ createdAt }) => createdAt);
  return times.length === 0 ? 0 : Math.max(0, Math.max(...times) - Math.min(...times) - pausedFor);
}
