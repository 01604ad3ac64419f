/** Reports each file that this process loads, or fails to find, to its parent. `troupe dev` preloads this module into the server. */
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";

registerHooks({
  resolve(specifier, context, nextResolve) {
    try {
      return nextResolve(specifier, context);
    } catch (error) {
      // A missing file is reported, too, because a later start succeeds once it exists.
      if (specifier.startsWith(".") && context.parentURL) report(new URL(specifier, context.parentURL).href);
      throw error;
    }
  },
  load(url, context, nextLoad) {
    report(url);
    return nextLoad(url, context);
  },
});

// If the parent is killed, only this ends the process.
process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
process.channel?.unref();

function report(url: string): void {
  if (url.startsWith("file:") && !url.includes("/node_modules/") && process.connected)
    process.send?.(fileURLToPath(url));
}
