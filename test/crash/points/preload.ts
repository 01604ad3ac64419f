/** Replaces the real store by the watched store. A test loads this file before the server, so the product needs no hook. */
import { registerHooks } from "node:module";

const replaced = new URL("../../../src/store/open.ts", import.meta.url).href;
const replacement = new URL("./open-watched.ts", import.meta.url).href;

registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    return found.url === replaced && context.parentURL !== replacement ? { ...found, url: replacement } : found;
  },
});
