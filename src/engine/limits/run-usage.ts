/** The meters of one root run share this state: totals of shared counters, and raises of limits. */
import { toNanos } from "../../model/usage/cost.ts";
import type { CountedUsage } from "../../store/contract/store.ts";
import { counterName, type UsageCounter } from "../../store/contract/usage.ts";
import type { Recovery } from "../run/recovery.ts";
import type { Bound } from "./bounds.ts";
import { limitRaisedBy, type RaiseAnswer } from "./raise-answers.ts";

/** The state that the meters of one root run share. */
export class RunUsage {
  /** Latest known totals of shared counters, by the counter's name. */
  readonly #totals = new Map<string, CountedUsage>();
  /** Raises by limit, in the limit's unit. */
  readonly #raises = new Map<string, number>();
  readonly #rejected = new Set<string>();

  /** @param recovery contains the answers of approvers to earlier pauses */
  constructor(recovery: Recovery | undefined) {
    const marks = recovery ? [recovery.marks, ...recovery.members.map((member) => member.marks)] : [];
    for (const [name, value] of marks.flatMap((each) => [...each])) this.#takeMark(name, value);
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
