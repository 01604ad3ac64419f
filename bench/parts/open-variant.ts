/** Loaded by the server in place of `src/store/open.ts`. */
import { type OpenedStore, openStore as openReal, type StoreConfig } from "../../src/store/open.ts";
import { openVariant } from "./store-variant.ts";

export function openStore(config: StoreConfig): Promise<OpenedStore> {
  return openVariant(config, openReal);
}
