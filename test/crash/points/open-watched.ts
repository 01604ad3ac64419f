/** A server under test loads this file instead of `src/store/open.ts`. */
import { type OpenedStore, openStore as openReal, type StoreConfig } from "../../../src/store/open.ts";
import { watchedResponses, watchedStore } from "./watched-store.ts";

export async function openStore(config: StoreConfig): Promise<OpenedStore> {
  const opened = await openReal(config);
  return { ...opened, store: watchedStore(opened.store), responses: watchedResponses(opened.responses) };
}
