/** Amounts by user, so that one user cannot have all of what a process, or all processes, can hold. */

/** Amounts by the name of their user. What belongs to no user has an empty name. */
export class Shares {
  readonly #byUser = new Map<string, number>();
  #total = 0;

  constructor(amounts: Iterable<readonly [user: string, amount: number]> = []) {
    for (const [user, amount] of amounts) this.add(user, amount);
  }

  get total(): number {
    return this.#total;
  }

  of(user: string | null): number {
    return this.#byUser.get(user ?? "") ?? 0;
  }

  /** Adds an amount, which may be negative. A user who has nothing left is forgotten. */
  add(user: string | null, amount: number): void {
    const before = this.of(user);
    const after = Math.max(before + amount, 0);
    this.#total += after - before;
    if (after > 0) this.#byUser.set(user ?? "", after);
    else this.#byUser.delete(user ?? "");
  }

  /** All users with their amounts. */
  [Symbol.iterator](): MapIterator<[string, number]> {
    return this.#byUser[Symbol.iterator]();
  }

  /**
   * The share of a user in `limit`. Users have equal shares, and one share stays free for the next user: a single user has half, nine users have
   * a tenth each. What belongs to no user may take everything.
   */
  shareOf(user: string | null, limit: number): number {
    if (!user) return limit;
    const others = this.#byUser.size - (this.#byUser.has("") ? 1 : 0) - (this.#byUser.has(user) ? 1 : 0);
    return Math.max(1, Math.floor(limit / (others + 2)));
  }
}
