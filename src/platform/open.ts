/**
 * The composition root: the only file that connects the layers. It is separate from `server.ts`, so that the server's types do not depend
 * on it.
 */
import { getHeapStatistics } from "node:v8";
import { AccessControl } from "../auth/access-control.ts";
import { resolveAccess } from "../auth/access-rules.ts";
import type { Platform } from "../define/platform.ts";
import { Registry } from "../define/registry.ts";
import { Components } from "../engine/components.ts";
import { Connections } from "../engine/connections/connections.ts";
import { RunEngine } from "../engine/engine.ts";
import { checkMcpPackage } from "../engine/mcp/package.ts";
import { ToolServers } from "../engine/mcp/tool-servers.ts";
import { checkModels, resolveBases, resolveModels } from "../engine/model-call/models.ts";
import { PriceBook } from "../engine/model-call/prices.ts";
import { Lease } from "../engine/process/lease.ts";
import { OutageWatch } from "../engine/process/outage-watch.ts";
import { RunMemory } from "../engine/process/run-memory.ts";
import { AnsweredRuns } from "../engine/run/answered-runs.ts";
import { LiveVersions } from "../engine/versions/live-versions.ts";
import { Compactor } from "../events/compactor.ts";
import { Journal } from "../events/journal.ts";
import { LiveLogs } from "../events/live-log.ts";
import { Logs } from "../events/logs.ts";
import { ReencryptionJob } from "../events/reencryption.ts";
import { RetentionJob } from "../events/retention.ts";
import { UserErasures } from "../events/user-erasure.ts";
import { callOwn } from "../http/internal/dispatch.ts";
import { findOwn } from "../http/internal/find-route.ts";
import { OneTimeTokens } from "../http/internal/one-time-tokens.ts";
import { InterfaceStreams } from "../http/streams/caller-streams.ts";
import { createApp } from "../http/transport/app.ts";
import { webhookRoute } from "../http/transport/webhook-route.ts";
import { pushPartsOf } from "../interfaces/a2a/push/push-parts.ts";
import { a2aRoutes } from "../interfaces/a2a/routes/all.ts";
import { agUiRoutes } from "../interfaces/ag-ui/routes.ts";
import { aiUiRoutes } from "../interfaces/ai-ui/routes.ts";
import { mcpRoutes } from "../interfaces/mcp/routes.ts";
import { openAiRoutes } from "../interfaces/openai/routes/all.ts";
import { attachWorkflowSocket } from "../interfaces/web-socket/attach.ts";
import { documentParser } from "../knowledge/read.ts";
import { searchOf } from "../knowledge/search.ts";
import { withVectorStores } from "../knowledge/vectors/vector-stores.ts";
import type { Environment } from "../model/authorization.ts";
import { open, system } from "../model/principal.ts";
import type { Role } from "../model/role.ts";
import type { Log } from "../model/runtime.ts";
import type { VersionParts } from "../runs/components/versions.ts";
import { openEvaluator } from "../runs/evals/runner.ts";
import { openCitations } from "../runs/knowledge/citations.ts";
import { definedDocuments } from "../runs/knowledge/defined.ts";
import { documentReader } from "../runs/knowledge/documents.ts";
import { openIngester } from "../runs/knowledge/ingester.ts";
import { openExtractor } from "../runs/memories/extraction.ts";
import { routeOf } from "../runs/permissions.ts";
import { openPushes } from "../runs/push/open.ts";
import { openRuns, type Runs } from "../runs/runs.ts";
import { openExperimenter } from "../runs/trials/experimenter.ts";
import { openWebhookSender } from "../runs/webhooks/sender.ts";
import { storeDefined } from "../schedule/defined-schedules.ts";
import type { InternalRoutes } from "../schedule/internal-routes.ts";
import { Poller } from "../schedule/poller.ts";
import { Schedules } from "../schedule/service.ts";
import type { Store } from "../store/contract/store.ts";
import { environmentKeys } from "../store/encryption/environment-keys.ts";
import { openStore } from "../store/open.ts";
import { checkConnections } from "./connections.ts";
import { divideHeap } from "./divide-heap.ts";
import { IdleMemory } from "./idle-memory.ts";
import { interfaceJobs } from "./interface-jobs.ts";
import { OpenInterfaces, webhooksOf } from "./interfaces.ts";
import type { Metrics } from "./metrics.ts";
import { readQueue } from "./metrics-queue.ts";
import type { AnyInterface } from "./options.ts";
import { collectGarbage, heapUsed, processMemory } from "./process-memory.ts";
import { ProcessReadiness } from "./readiness.ts";
import { modelSources, realRuntime } from "./runtime.ts";
import { openTracing } from "./tracing/open.ts";
import { within } from "./within.ts";

/** The connected parts of an open platform. */
export interface OpenPlatform {
  readonly store: Store;
  readonly engine: RunEngine;
  readonly logs: Logs;
  readonly app: ReturnType<typeof createApp>;
  /** The interfaces of `ServerOptions.interfaces`. */
  readonly interfaces: OpenInterfaces;
  /** Starts to execute waiting runs. Call it only once the server listens: a server that cannot listen must not have started any run. */
  begin(): void;
  /** Closes all parts: see `Server.close`. */
  end(timeout: number): Promise<void>;
  /** See `ProcessReadiness.leave`. Call it before `end`, if callers may still arrive. */
  leave(isChecked?: boolean): Promise<void>;
  /** See `ClosingState.retire`. Resolves after `timeout` milliseconds at the latest. */
  retire(idleTimeout: number, timeout: number): Promise<void>;
  /** Undefined if they are not measured. */
  readonly metrics: Metrics | undefined;
  readonly retention: RetentionJob;
}

/** Database, log and role of a platform. See `ServerOptions`. */
export interface OpenOptions {
  readonly database?: string | undefined;
  readonly directDatabase?: string | undefined;
  readonly readDatabase?: string | undefined;
  readonly dataDir?: string | undefined;
  readonly migrate?: boolean | undefined;
  readonly log: Log;
  /** See `ServerOptions`. */
  readonly role: Role;
  /** See `Services`. */
  readonly isLocalOnly: boolean;
  /** See `Services`. Default: empty. */
  readonly basePath?: string | undefined;
  /** Environment variables for authorization. Default: none. */
  readonly environment?: Environment | undefined;
  /** Environment variables for tracing (`OTEL_*`). Default: none. */
  readonly tracingEnvironment?: Environment | undefined;
  /** Whether its timers keep the process alive. Default true. */
  readonly keepsAlive?: boolean | undefined;
  /** Whether only this process calls the platform, so that all calls have the `system` principal. Default false. */
  readonly isInProcess?: boolean | undefined;
  /** Whether metrics are measured. Default false. */
  readonly measures?: boolean | undefined;
  /** Called at each readiness check. */
  readonly onChecked?: (() => void) | undefined;
  /** See `ServerOptions`. Their routes are routes of the app. */
  readonly interfaces?: readonly AnyInterface[] | undefined;
}

/** Opens a platform's database and connects its parts. It does not listen, and does not start any waiting run. */
export async function openPlatform(platform: Platform, options: OpenOptions): Promise<OpenPlatform> {
  const sources = modelSources();
  await resolveModels(platform, sources);
  await checkModels(platform, sources);
  const { settings, maxRunBytes } = divideHeap(platform.settings, getHeapStatistics().heap_size_limit);
  // Loaded only when it is used: it costs memory and a part of the time of a start.
  const metrics = options.measures ? (await import("./metrics.ts")).createMetrics(platform) : undefined;
  const runtime = realRuntime(options.log, options.keepsAlive, metrics?.measurements);
  const processId = runtime.randomness.uuid();
  const { environment = {} } = options;
  const { id: platformId, authorization } = platform;
  const keyProvider = platform.keyProvider ?? environmentKeys(environment.TROUPE_ENCRYPTION_KEYS);
  checkConnections(platform, { keyProvider, ...options });
  const rules = resolveAccess({ platformId, authorization, environment, runtime });
  const {
    store,
    signals,
    access: kept,
    schedules: keptSchedules,
    pushes: keptPushes,
    tasks,
    approvals,
    rates,
    traces,
    retention: retained,
    usageDays,
    overview,
    reads,
    userData,
    connections: keptConnections,
    memories: keptMemories,
    responses,
    learnings,
    evals: keptEvals,
    encryption,
    jobs,
    webhooks: keptWebhooks,
    knowledge: storedKnowledge,
    trials: keptTrials,
    components: keptComponents,
  } = await openStore({
    database: options.database,
    directDatabase: options.directDatabase,
    readDatabase: options.readDatabase,
    dataDir: options.dataDir ?? ".troupe",
    migrate: options.migrate ?? true,
    runtime,
    processId,
    keyProvider,
    maxScheduleRecords: settings.maxScheduleRecords,
  });
  const live = new LiveLogs(settings, runtime.clock);
  const shared = { store, signals, runtime, settings };
  const logs = new Logs({ ...shared, live });
  const lease = new Lease({ store, runtime, settings, processId });
  const tracingEnvironment = options.tracingEnvironment ?? {};
  const { tracing, exporter } = await openTracing({
    environment: tracingEnvironment,
    store,
    runtime,
    platformId,
    processId,
  });
  const compactor = new Compactor(store, runtime, settings, {
    onTrace: exporter && ((trace) => exporter.take(trace)),
    usageDays,
  });
  const journal = new Journal({
    ...shared,
    live,
    living: () => lease.living,
    onEnded: (key) => compactor.ended(key),
  });
  const isBusy = (): boolean => journal.isBusy;
  const retention = new RetentionJob({ store: retained, runtime, ...platform.retention, isBusy });
  const erasures = new UserErasures({ store: userData, signals, runtime, isBusy });
  const reencryption = encryption && new ReencryptionJob({ store: encryption, runtime, isBusy });
  const registry = new Registry(platform);
  checkMcpPackage(platform);
  const { connections: providers } = platform;
  const connections = providers && new Connections({ store: keptConnections, runtime, options: providers });
  const toolServers = new ToolServers({ runtime, settings, connections });
  const liveVersions = new LiveVersions({
    ...{ platform, registry, store, signals, runtime, versions: keptComponents, modelSources: sources },
  });
  const components = new Components({ registry, modelSources: sources, settings, runtime, versions: liveVersions });
  const memory = new RunMemory({ maxBytes: maxRunBytes, clock: runtime.clock });
  const answered = new AnsweredRuns();
  const { role } = options;
  const sender = openWebhookSender({
    ...{ jobs, runtime, lease, processId, store, settings, webhooks: keptWebhooks },
    ...{ platform: platform.webhooks, runWebhooks: platform.runWebhooks },
  });
  const wakeSender = (): void => sender.wake();
  const prices = new PriceBook(platform.prices, runtime);
  const requests = { store, limits: platform.limits, prices, runtime, settings };
  const extractor = openExtractor({ ...requests, jobs, lease, processId, components, memories: keptMemories });
  const bases = await resolveBases(platform.knowledge, sources);
  const keptKnowledge = withVectorStores(storedKnowledge, bases);
  const citations = openCitations({ jobs, runtime, lease, processId, store, knowledge: keptKnowledge });
  const engine = new RunEngine({
    ...{
      ...shared,
      journal,
      lease,
      memory,
      answered,
      registry,
      components,
      toolServers,
      connections,
      learnings,
      role,
      processId,
    },
    webhooks: { platform: platform.webhooks, wake: wakeSender },
    memories: { store: keptMemories, wake: () => extractor.wake() },
    searchKnowledge: searchOf({ store: keptKnowledge, runtime }, bases),
    wakeCitations: () => citations.wake(),
    ...{ tracing, responses, limits: platform.limits, prices },
  });
  const outages = new OutageWatch({ store, runtime, settings, logs, engine });
  const { accounts } = kept;
  const gate = new AccessControl(rules, accounts, runtime, options.isInProcess ? system : open);
  const { isLocalOnly } = options;
  const stores = { store, tasks, accounts, approvals, rates, traces, usageDays, overview, learnings, reads, erasures };
  const parts = { platform, registry, engine, logs, compactor, runtime, gate, connections, isLocalOnly, ...stores };
  const pushParts = pushPartsOf(platform, settings, () => runs);
  const pushes = pushParts && openPushes({ ...shared, tracing, lease, processId, pushes: keptPushes, ...pushParts });
  const ingester = openIngester({
    ...{ jobs, runtime, lease, processId, bases },
    ingestion: {
      store: keptKnowledge,
      baseOf: (id) => bases.get(id),
      read: documentReader({ clock: runtime.clock, bases, maxBytes: settings.maxUploadBytes }),
      parse: documentParser(runtime.clock),
    },
  });
  const knowledge = { store: keptKnowledge, bases, wake: () => ingester.wake() };
  const webhooks = { store: keptWebhooks, addresses: platform.runWebhooks, wake: wakeSender };
  const versions: VersionParts = {
    store: keptComponents,
    check: (component) => liveVersions.check(component),
    usersOf: (component) => liveVersions.usersOf(component),
    onChange: async () => {
      signals.publish({ topic: "components" });
      // The change is stored: if it cannot be read now, the next poll reads it.
      await liveVersions.refresh().catch(() => undefined);
    },
  };
  const trials = { ...keptTrials, wake: () => experimenter.wake() };
  const kinds = { versions, webhooks, knowledge, trials, memories: { store: keptMemories, requests } };
  const evals = { store: keptEvals, wake: () => evaluator.wake() };
  const runs: Runs = openRuns({ ...parts, pushes: pushes?.targets, evals, ...kinds });
  const evaluator = openEvaluator({
    ...{ jobs, runtime, lease, processId, settings, store, runs, gate, registry, platform, heapUsed },
    ...{ evals: keptEvals, memories: kinds.memories },
  });
  const experimenter = openExperimenter({
    ...{ jobs, runtime, lease, processId, settings, store, runs, gate, registry, platform },
    ...{ experiments: keptTrials.experiments, memories: kinds.memories },
  });
  const documents = definedDocuments({ knowledge: runs.knowledge, runtime });
  const oneTimeTokens = new OneTimeTokens();
  const routes: InternalRoutes = {
    find: (method, endpoint) => {
      const found = findOwn({ routes: app.routes, registry }, method, endpoint);
      if (!found) return undefined;
      const startDemand = (payload: Parameters<typeof found.componentOf>[0]) => {
        const started = found.componentOf(payload);
        return started && { demand: gate.requiredScopesOf(routeOf("start", started.kind)), id: started.componentId };
      };
      return { ...found, demand: app.requiredScopesOf(found.route), startDemand };
    },
    call: (call) => callOwn(app, oneTimeTokens, call),
  };
  const failureHooks = platform.webhooks.filter(({ events }) => events.includes("schedule.failed"));
  const poller = new Poller({
    ...{ ...shared, runs, lease, gate, routes, schedules: keptSchedules, processId },
    webhooks: { hookIds: failureHooks.map(({ id }) => id), wake: wakeSender },
  });
  const scheduling = { schedules: keptSchedules, gate, routes, runs, poller, runtime, processId, platformId };
  const schedules = platform.schedules === false ? undefined : new Schedules(scheduling);
  const readiness = new ProcessReadiness({ store, engine, runtime, settings, onChecked: options.onChecked });
  const { basePath = "" } = options;
  const services = { ...parts, runs, schedules, readiness, oneTimeTokens, basePath };
  const ofInterfaces = [
    ...a2aRoutes(platform, runtime.log),
    ...agUiRoutes(platform),
    ...aiUiRoutes(platform),
    ...mcpRoutes(platform),
    ...openAiRoutes(platform),
  ];
  const hooks = (options.interfaces ?? []).flatMap((one) => webhooksOf(one));
  const receiver: OpenInterfaces["receiver"] = (path) => interfaces.receiver(path);
  const app = createApp(services, [...ofInterfaces, ...hooks.map((path) => webhookRoute(path, receiver))]);
  const streams = new InterfaceStreams(app.openStreams, app.credentials);
  const work = interfaceJobs({ jobs, runtime, lease, processId, settings });
  const interfaceServices = { runs, platform, gate, streams, jobs: work, runtime, isLocalOnly };
  attachWorkflowSocket(app, interfaceServices);
  const interfaces = new OpenInterfaces(interfaceServices, streams);
  const idleMemory = new IdleMemory({
    clock: runtime.clock,
    isBusy: () => live.live > 0,
    ...processMemory(),
    release: () => {
      live.dropFinished();
      store.releaseMemory?.();
      collectGarbage();
    },
  });
  metrics?.read({
    followers: () => logs.followers,
    ringBytes: () => live.bytes,
    isDatabaseAvailable: () => store.availability.available,
    connections: () => store.connections,
    queue: () => readQueue(store, runtime.clock, settings.maxQueuedRuns),
  });
  let hasEnded = false;
  const end = async (timeout: number): Promise<void> => {
    hasEnded = true;
    const deadline = runtime.clock.monotonic() + timeout;
    await poller.close();
    await pushes?.pusher.close();
    await documents.close();
    await Promise.all([sender.close(), ingester.close(), extractor.close(), citations.close()]);
    await Promise.all([evaluator.close(), experimenter.close()]);
    await engine.drain(timeout);
    await liveVersions.close();
    logs.close();
    // The streams of interfaces end now: every followed log has ended or yields `interrupted`.
    await interfaces.close();
    await app.close();
    await toolServers.close();
    outages.close();
    idleMemory.close();
    await Promise.all([compactor.close(), retention.close(), reencryption?.close()]);
    await exporter?.close(deadline - runtime.clock.monotonic());
    journal.close();
    await signals.close();
    await store.close();
  };
  try {
    await engine.open();
    await liveVersions.open();
    if (rules.userIsolation) await kept.adoptSessions();
    if (platform.schedules) await storeDefined(platform.id, platform.schedules, scheduling);
    gate.warmUp();
  } catch (error) {
    await end(0);
    throw error;
  }
  let hasBegun = false;
  const begin = (): void => {
    if (hasBegun || hasEnded) return;
    hasBegun = true;
    liveVersions.start();
    engine.begin();
    if (platform.schedules && options.role !== "worker") poller.start();
    compactor.start();
    retention.start();
    reencryption?.start();
    outages.start();
    idleMemory.start();
    pushes?.pusher.start();
    sender.start();
    if (bases.size > 0) {
      ingester.start();
      citations.start();
      documents.start();
    }
    extractor.start();
    // A worker takes no starts, so it cannot start the runs of evals and experiments.
    if (options.role !== "worker") {
      evaluator.start();
      experimenter.start();
    }
  };
  const retire = (idleTimeout: number, timeout: number): Promise<void> =>
    within(runtime.clock, timeout, app.retire(idleTimeout), undefined);
  return {
    store,
    engine,
    logs,
    app,
    interfaces,
    metrics,
    retention,
    begin,
    retire,
    leave: (isChecked) => readiness.leave(isChecked),
    end,
  };
}
