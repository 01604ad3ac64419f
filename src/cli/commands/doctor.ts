import { createServer as createSocketServer } from "node:net";
import type { Platform } from "../../define/platform.ts";
import { resolveModels } from "../../engine/models.ts";
import { openStore } from "../../store/open.ts";
import { loadPlatform } from "../load.ts";
import type { DatabaseOptions } from "../options.ts";
import { commandRuntime } from "../runtime.ts";

interface Finding {
  readonly ok: boolean;
  readonly topic: string;
  readonly text: string;
}

/** `troupe doctor [file]`: says what is configured, reachable and missing; ends with code 1 when something would keep a start from working. */
export async function doctor(file: string | undefined, options: DatabaseOptions): Promise<void> {
  const findings: Finding[] = [{ ok: true, topic: "Node", text: process.versions.node }];
  const platform = await look(findings, "app", async () => {
    const loaded = await loadPlatform(file);
    return [loaded, `"${loaded.name}": ${count(loaded.agents, "agent")}, ${count(loaded.teams, "team")}`];
  });
  if (platform) await look(findings, "models", async () => [undefined, await models(platform)]);
  await look(findings, "database", async () => [undefined, await database(options)]);
  await look(findings, "address", async () => [undefined, await address()]);
  findings.push({
    ok: true,
    topic: "access",
    text: "no authorization: everybody who reaches the server may do everything (loopback only)",
  });
  for (const { ok, topic, text } of findings) console.log(`${ok ? "ok     " : "PROBLEM"}  ${topic.padEnd(8)}  ${text}`);
  if (findings.some(({ ok }) => !ok)) process.exitCode = 1;
}

/** Adds what a look found, or why it failed. */
async function look<T>(findings: Finding[], topic: string, find: () => Promise<[T, string]>): Promise<T | undefined> {
  try {
    const [value, text] = await find();
    findings.push({ ok: true, topic, text });
    return value;
  } catch (error) {
    findings.push({ ok: false, topic, text: (error as Error).message });
    return undefined;
  }
}

async function models(platform: Platform): Promise<string> {
  await resolveModels(platform);
  const names = [...platform.agents, ...platform.teams].map(({ model }) =>
    typeof model === "string" ? model : `${model.provider}:${model.modelId}`,
  );
  const keys = ["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_BASE_URL"].filter((name) => process.env[name]);
  return `${[...new Set(names)].join(", ")} (${keys.length > 0 ? `set: ${keys.join(", ")}` : "no provider key is set in the environment"})`;
}

async function database({ database: url, directDatabase, dataDir }: DatabaseOptions): Promise<string> {
  const runtime = commandRuntime();
  const processId = runtime.randomness.uuid();
  const { store, signals } = await openStore({
    database: url,
    directDatabase,
    dataDir,
    migrate: false,
    runtime,
    processId,
  });
  try {
    await store.ping();
    return `${store.capabilities.label}, schema up to date`;
  } finally {
    await signals.close();
    await store.close();
  }
}

function address(): Promise<string> {
  const host = process.env.HOST ?? "127.0.0.1";
  const port = Number(process.env.PORT ?? 7777);
  const probe = createSocketServer();
  return new Promise((resolve, reject) => {
    probe.once("error", (error: NodeJS.ErrnoException) => {
      const reason =
        error.code === "EADDRINUSE"
          ? "is in use: stop what listens there, or choose another --port"
          : `cannot be used (${error.code})`;
      reject(new Error(`${host}:${port} ${reason}`));
    });
    probe.listen(port, host, () => probe.close(() => resolve(`${host}:${port} is free`)));
  });
}

function count(items: readonly unknown[], noun: string): string {
  return `${items.length} ${noun}${items.length === 1 ? "" : "s"}`;
}
