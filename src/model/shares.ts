/** Amounts by user. Shares prevent one user from taking the whole capacity of a process, or of all processes. */

/** Amounts by user. Amounts without a user have an empty name. */
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

  /** Adds an amount, which may be negative. A user with nothing left is removed. */
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
   * Returns the share of a user in `limit`. Users have equal shares, and one share stays free for the next user: a single user has half,
   * nine users have a tenth each. Amounts without a user may take the whole limit.
   */
  shareOf(user: string | null, limit: number): number {
    if (!user) return limit;
    const others = this.#byUser.size - (this.#byUser.has("") ? 1 : 0) - (this.#byUser.has(user) ? 1 : 0);
    return Math.max(1, Math.floor(limit / (others + 2)));
  }
}
