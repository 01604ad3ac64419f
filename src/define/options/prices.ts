/** Validates the prices of a platform. */
import { ConfigurationError } from "../../errors.ts";
import type { ModelPrice, Prices } from "../../model/usage/prices.ts";
import { type Check, checkAll, type Known, refuseUnknown } from "../checks.ts";

const known: Known<ModelPrice> = { input: true, output: true, cacheRead: true, cacheWrite: true };

const price: Check = (value) =>
  typeof value === "number" && Number.isFinite(value) && value >= 0
    ? undefined
    : "must be a number of US dollars per million tokens, at least 0";

const checks = { input: price, output: price, cacheRead: price, cacheWrite: price };

/** @throws ConfigurationError naming the model and the fix */
export function checkPrices(platform: string, prices: unknown): void {
  if (prices === undefined || prices === false || typeof prices === "function") return;
  if (typeof prices !== "object" || prices === null || Array.isArray(prices))
    throw new ConfigurationError(`${platform}: prices must be prices by model, a function or false.`);
  for (const [model, given] of Object.entries(prices as Exclude<Prices, false>)) {
    const title = `${platform}: the price of "${model}"`;
    if (typeof given !== "object" || given === null)
      throw new ConfigurationError(
        `${title} must be an object: { input: 1.75, output: 14 } in US dollars per million tokens.`,
      );
    refuseUnknown(title, given, known);
    if (given.input === undefined || given.output === undefined)
      throw new ConfigurationError(`${title} needs input and output.`);
    checkAll(title, given, checks);
  }
}
