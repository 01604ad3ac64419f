/** Troupe with the bench's platform, as a process that reports measurements. `BENCH_STORE` replaces or wraps its store. */
import type { Server } from "troupe";
import { allowHeapGrowth, boundNewSpace, exposeCollection } from "../../src/cli/heap.ts";
import { defaultSettings } from "../../src/model/settings.ts";
import { answer } from "./child.ts";
import type { TroupeCommands } from "./commands.ts";
import { beginCounting, countWork, takeCounts } from "./counted-work.ts";
import { measureCommands } from "./server-measure.ts";
import { useVariant } from "./store-variant.ts";
import { sleep } from "./time.ts";
import { takeCommits } from "./timed-commits.ts";

allowHeapGrowth();
exposeCollection();
boundNewSpace();
if (process.env.BENCH_COUNT) countWork();
const opened = useVariant();
let server: Server | undefined;

/** Imported on use, because its modules must not be loaded before the variant is set up. */
const storeCalls = () => import("./store-calls.ts");

const commands: TroupeCommands = {
  ...measureCommands,
  commits: takeCommits,
  beginCounting: ({ port }) => beginCounting(port),
  takeCounts,
  async listen(options) {
    // Imported only here: a module loaded before the variant is set up would keep the real store.
    const { createServer } = await import("troupe");
    const { default: platform } = await import("./platform.ts");
    server = await createServer(platform, { ...options, port: 0, logLevel: "warn" });
    return Number(new URL(await server.listen()).port);
  },
  flushes: async ({ count }) => (await storeCalls()).timeFlushes(await opened, count),
  claims: async ({ count }) => (await storeCalls()).timeClaims(await opened, count),
  removals: async (input) => (await storeCalls()).timeRemovals(await opened, input),
  async extractions() {
    const { extractions } = await import("./models.ts");
    return extractions();
  },
  async extracted({ count }) {
    const { extractions } = await import("./models.ts");
    while (extractions() < count) await sleep(50);
    await sleep(200);
  },
  async compacted() {
    const { store } = await opened;
    while ((await store.uncompacted(1)).length > 0) await sleep(50);
  },
  async compact() {
    const { store } = await opened;
    for (let keys = await store.uncompacted(50); keys.length > 0; keys = await store.uncompacted(50)) {
      for (const key of keys) await store.compact(key, defaultSettings.maxCompactedRowBytes);
    }
  },
};

answer(commands, () => server?.close({ shutdownTimeout: 0 }));
