/** The composition root: the one file that wires the layers together. Apart from the server's own types, so that those stand by themselves. */
import type { Platform } from "./define/platform.ts";
import { Registry } from "./define/registry.ts";
import { RunEngine } from "./engine/engine.ts";
import { Lease } from "./engine/lease.ts";
import { resolveModels } from "./engine/models.ts";
import { OutageWatch } from "./engine/outage-watch.ts";
import { Compactor } from "./events/compactor.ts";
import { Journal } from "./events/journal.ts";
import { LiveLogs } from "./events/live-log.ts";
import { Logs } from "./events/logs.ts";
import { createApp } from "./http/app.ts";
import { anonymous } from "./model/principal.ts";
import type { Log } from "./model/runtime.ts";
import { realRuntime } from "./platform-runtime.ts";
import { openStore } from "./store/open.ts";
import type { Store } from "./store/seam.ts";

/** A platform at work: its parts, wired together. */
export interface OpenPlatform {
  readonly store: Store;
  readonly engine: RunEngine;
  readonly logs: Logs;
  readonly app: ReturnType<typeof createApp>;
  /** Ends all of them: see `Server.close`. */
  end(grace: number): Promise<void>;
}

/** Where it keeps its data, and what it says. See `ServerOptions`. */
export interface OpenOptions {
  readonly database?: string | undefined;
  readonly directDatabase?: string | undefined;
  readonly dataDir?: string | undefined;
  readonly migrate?: boolean | undefined;
  readonly log: Log;
}

/** Opens a platform's database and puts its parts to work; nothing listens yet. */
export async function openPlatform(platform: Platform, options: OpenOptions): Promise<OpenPlatform> {
  await resolveModels(platform);
  const { settings } = platform;
  const runtime = realRuntime(options.log);
  const processId = runtime.randomness.uuid();
  const { store, signals } = await openStore({
    database: options.database,
    directDatabase: options.directDatabase,
    dataDir: options.dataDir ?? ".troupe",
    migrate: options.migrate ?? true,
    runtime,
    processId,
  });
  const live = new LiveLogs(settings.ringBytes, settings.ringTotalBytes);
  const shared = { store, signals, runtime, settings };
  const journal = new Journal({ ...shared, live });
  const logs = new Logs({ ...shared, live });
  const lease = new Lease({ store, runtime, settings, processId });
  const engine = new RunEngine({ ...shared, journal, lease, registry: new Registry(platform), processId });
  const compactor = new Compactor(store, runtime, settings);
  const outages = new OutageWatch({ store, runtime, settings, logs });
  const app = createApp({ platform, engine, logs, store, runtime, principalOf: () => anonymous });
  await engine.open();
  compactor.start();
  outages.start();

  const end = async (grace: number): Promise<void> => {
    await engine.drain(grace);
    logs.close();
    await app.close();
    outages.close();
    await compactor.close();
    journal.close();
    await signals.close();
    await store.close();
  };
  return { store, engine, logs, app, end };
}
