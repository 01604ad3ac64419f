/**
 * Amounts of money. Costs on the wire and in rows are US dollars as numbers. Sums are computed in nanodollars, which are integers and therefore exact up to
 * nine million dollars.
 */

const nanosPerDollar = 1_000_000_000;

/** Returns an amount in nanodollars, rounded to the nearest one. */
export function toNanos(dollars: number): number {
  return Math.round(dollars * nanosPerDollar);
}

/** Returns an amount in US dollars. `toNanos` of the result is the same number of nanodollars again. */
export function toDollars(nanos: number): number {
  return nanos / nanosPerDollar;
}

/** Adds costs exactly. An unknown cost adds nothing; undefined if both are unknown. */
export function addCosts(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined) return other;
  if (other === undefined) return one;
  return toDollars(toNanos(one) + toNanos(other));
}
