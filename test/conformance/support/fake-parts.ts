/** The HTTP interface on fake parts, for what real parts do not do on request: fail, or have a given caller. */
import { randomUUID } from "node:crypto";
import type { FastifyInstance } from "fastify";
import { afterEach } from "vitest";
import { Registry } from "../../../src/define/registry.ts";
import { OneTimeTokens } from "../../../src/http/internal/one-time-tokens.ts";
import { createApp } from "../../../src/http/transport/app.ts";
import type { Gate } from "../../../src/http/transport/guard.ts";
import type { Services } from "../../../src/http/transport/services.ts";
import { a2aRoutes } from "../../../src/interfaces/a2a/routes/all.ts";
import { noMeasurements } from "../../../src/model/measurements.ts";
import { open, type Principal } from "../../../src/model/principal.ts";
import type { RunParts } from "../../../src/runs/parts.ts";
import { openRuns } from "../../../src/runs/runs.ts";
import { testRuntime } from "../../support/runtime.ts";
import { Client } from "./client.ts";
import { conformancePlatform } from "./platform.ts";

const apps: FastifyInstance[] = [];
afterEach(async () => {
  await Promise.all(apps.splice(0).map((app) => app.close()));
});

/** A run of the duo team. */
export const foundRun = async (): Promise<object> => {
  return { kind: "team", componentId: "duo-team", parentKey: null, sessionId: "s", key: 1, runId: "r" };
};

export interface FakeParts {
  store?: object;
  engine?: object;
  logs?: object;
  schedules?: object;
  caller?: Principal;
}

/** Accepts every request as the same caller. */
function openGate(caller: Principal): Gate {
  return {
    mode: "none",
    rules: { excludedRoutePaths: [], tokenSource: "HEADER", cookieName: "access_token" },
    callerOf: () => caller,
    authenticate: () => caller,
    outsider: () => caller,
    requiredScopesOf: () => [],
    requiredOf: () => [],
    reportMappings: () => {},
    check: () => {},
    permitted: (_caller, _demand, items) => items,
    checkGrant: () => {},
    forget: () => {},
    credentialCheckOf: () => undefined,
  };
}

/** Serves the conformance platform; `errors` are the entries of the log. */
export async function serve(fakes: FakeParts): Promise<{ client: Client; errors: object[] }> {
  const errors: object[] = [];
  const nothing = (): void => {};
  const platform = conformancePlatform();
  const parts = {
    platform,
    registry: new Registry(platform),
    engine: { acceptance: { open: true }, ...fakes.engine },
    logs: { ...fakes.logs },
    store: { capabilities: { label: "x" }, ...fakes.store },
    webhooks: { store: {}, wake: nothing },
    memories: { store: {} },
    evals: { store: {}, wake: nothing },
    trials: { feedback: {}, datasets: {}, experiments: {} },
    versions: { store: {}, check: async () => {}, onChange: nothing },
    knowledge: { store: {}, bases: new Map(), wake: nothing },
    runtime: {
      clock: { ...testRuntime.clock, now: () => 0 },
      randomness: { uuid: randomUUID },
      measurements: noMeasurements,
      log: { debug: nothing, info: nothing, warn: nothing, error: (fields: object) => errors.push(fields) },
    },
    gate: openGate(fakes.caller ?? open),
  } as unknown as RunParts;
  const services = {
    ...parts,
    runs: openRuns(parts),
    schedules: fakes.schedules,
    oneTimeTokens: new OneTimeTokens(),
  } as unknown as Services;
  const app = createApp(services, a2aRoutes(platform));
  apps.push(app);
  return { client: new Client(await app.listen({ port: 0, host: "127.0.0.1" })), errors };
}
