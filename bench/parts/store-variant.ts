/** Replaces the real store with a bench store, or slows down its disk, without a hook in the product: the loader swaps one module. */
import { registerHooks } from "node:module";
import type { OpenedStore, StoreConfig } from "../../src/store/open.ts";
import { nothingStore } from "./nothing-store.ts";
import { withSlowCommits } from "./slow-commits.ts";
import { withTimedCommits } from "./timed-commits.ts";

type OpenStore = (config: StoreConfig) => Promise<OpenedStore>;

const replaced = new URL("../../src/store/open.ts", import.meta.url).href;
const replacement = new URL("./open-variant.ts", import.meta.url).href;

const { promise: opened, resolve: tellOpened } = Promise.withResolvers<OpenedStore>();

/** Redirects `openStore` to `openVariant`, and resolves with the opened store. Call it before the platform's modules are loaded. */
export function useVariant(): Promise<OpenedStore> {
  registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context);
      return found.url === replaced && context.parentURL !== replacement ? { ...found, url: replacement } : found;
    },
  });
  return opened;
}

/** Opens the store that `BENCH_STORE` names: `nothing`, `slow:<milliseconds>`, `timed`, or the real store unchanged. */
export async function openVariant(config: StoreConfig, openReal: OpenStore): Promise<OpenedStore> {
  const variant = process.env.BENCH_STORE ?? "";
  const slow = /^slow:(\d+)$/.exec(variant);
  let result: OpenedStore;
  if (variant === "nothing") result = nothingStore();
  else result = await openReal(config);
  if (slow) result = { ...result, store: withSlowCommits(result.store, Number(slow[1])) };
  if (variant === "timed") result = { ...result, store: withTimedCommits(result.store) };
  tellOpened(result);
  return result;
}
