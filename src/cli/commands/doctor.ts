import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { type AccessRules, resolveAccess } from "../../auth/access-rules.ts";
import type { TrustedIssuer } from "../../auth/verify-token.ts";
import type { Platform } from "../../define/platform.ts";
import { Registry } from "../../define/registry.ts";
import { allComponents } from "../../define/within.ts";
import { resolveModels } from "../../engine/model-call/models.ts";
import { ConfigurationError } from "../../errors.ts";
import { findOwn } from "../../http/internal/find-route.ts";
import { interfaceRoutes } from "../../http/routes/all.ts";
import { docsRoutes } from "../../http/routes/pages/docs.ts";
import { a2aRoutes } from "../../interfaces/a2a/routes/all.ts";
import { isLoopback } from "../../model/loopback.ts";
import { checkHost, checkReadDatabase } from "../../platform/options.ts";
import { modelSources } from "../../platform/runtime.ts";
import { checkDefined, warningsAbout } from "../../schedule/defined-schedules.ts";
import { checkPostgresDeeply, checkSqliteDeeply } from "../../store/check/deep-check.ts";
import { SchemaOutdated } from "../../store/migrate.ts";
import { defaultPoolSize, openStore, ownConnections } from "../../store/open.ts";
import { connectionLimit } from "../../store/postgres/connection-limit.ts";
import { isPooled } from "../../store/postgres/pooler.ts";
import { findVectorExtension, findVectorIndexes, vectorAdvice } from "../../store/postgres/vector-extension.ts";
import { maxScanned } from "../../store/queries/knowledge/search.ts";
import { checkDataFolder, damageAdvice, databaseFile, lockFile } from "../../store/sqlite/data-folder.ts";
import { lockDataFolder } from "../../store/sqlite/data-folder-lock.ts";
import { checkAddress } from "../address.ts";
import { readOnlyKeys, storesEncrypted } from "../encryption-keys.ts";
import { explainToken } from "../explain-token.ts";
import { loadPlatform } from "../load.ts";
import { missingKeys } from "../model-keys.ts";
import { logLevelOf, metricsPortOf, portOf, processesOf, type ServeOptions, shutdownTimeoutOf } from "../options.ts";
import { heapOf, isHeapChosen, machineMemory, memoryWarning } from "../processes/heap.ts";
import { progressOf } from "../progress.ts";
import { commandRuntime } from "../runtime.ts";

/** Options of `troupe doctor`: the options of a start, a token to explain, and whether to read all data. */
export interface DoctorOptions extends ServeOptions {
  readonly deep?: boolean;
  readonly token?: string;
}

/** The result of a check that a start would pass. */
type Finding = string | { readonly warning: string };

/**
 * `troupe doctor [file]`: prints what is configured, reachable and missing, and changes nothing. It exits with code 1 if a start with the
 * same options would fail.
 */
export async function doctor(file: string | undefined, options: DoctorOptions): Promise<void> {
  const checks: Readonly<Record<string, () => Finding | Promise<Finding>>> = {
    Node: () => process.versions.node,
    app: () => app(file),
    database: () => database(file, options),
    ...(options.readDatabase === undefined ? {} : { standby: () => standby(options.readDatabase, options) }),
    address: () => address(options),
    access: () => access(file, options),
    options: () => others(options),
    ...(await schedules(file)),
    ...(await search(file, options)),
    ...(options.deep ? { data: () => data(options) } : {}),
    ...(options.token === undefined ? {} : { token: () => token(file, options.token ?? "") }),
  };
  for (const [topic, check] of Object.entries(checks)) {
    try {
      const found = await check();
      if (typeof found === "string") print("ok", topic, found);
      else print("warning", topic, found.warning);
    } catch (error) {
      print("PROBLEM", topic, (error as Error).message);
      process.exitCode = 1;
    }
  }
}

function print(state: "ok" | "warning" | "PROBLEM", topic: string, text: string): void {
  console.log(`${state.padEnd(7)}  ${topic.padEnd(8)}  ${text.replaceAll("\n", `\n${" ".repeat(19)}`)}`);
}

async function app(file: string | undefined): Promise<string> {
  const platform = await loadPlatform(file);
  const { agents, teams, workflows, factories, remotes } = platform;
  const counts = [count(agents, "agent"), count(teams, "team"), count(workflows, "workflow")];
  if (factories.length > 0) counts.push(`${factories.length} built for each run`);
  if (remotes.length > 0) counts.push(`${remotes.length} at other servers`);
  const hosted = `"${platform.name}": ${counts.join(", ")}`;
  const found = await models(platform);
  return found.length === 0 ? hosted : `${hosted}; models: ${found.join(", ")}`;
}

async function models(platform: Platform): Promise<readonly string[]> {
  await resolveModels(platform, modelSources());
  const missing = missingKeys(platform);
  if (missing.length > 0) throw new ConfigurationError(missing.join("\n"));
  const names = allComponents(platform).map(({ model }) =>
    typeof model === "string" ? model : `${model.provider}:${model.modelId}`,
  );
  return [...new Set(names)];
}

/** Returns the check of the schedules that the code defines; no check if there are no schedules or the app cannot be loaded. */
async function schedules(file: string | undefined): Promise<Readonly<Record<string, () => string>>> {
  const platform = await loadPlatform(file).catch(() => undefined);
  const plans = platform?.schedules || [];
  if (!platform || plans.length === 0) return {};
  const check = (): string => {
    const routes = [...interfaceRoutes(0), ...a2aRoutes(platform), ...docsRoutes(() => undefined)];
    const served = { routes, registry: new Registry(platform) };
    checkDefined(plans, (...call) => findOwn(served, ...call));
    return [`${plans.length} in the code`, ...warningsAbout(plans)].join("\n");
  };
  return { schedule: check };
}

/** Returns the check of the search in documents; no check for a platform without knowledge bases. */
async function search(
  file: string | undefined,
  { database: url, directDatabase = url }: ServeOptions,
): Promise<Readonly<Record<string, () => Promise<Finding>>>> {
  const platform = await loadPlatform(file).catch(() => undefined);
  if (!platform || platform.knowledge.length === 0) return {};
  const bases = count(platform.knowledge, "knowledge base");
  const check = async (): Promise<Finding> => {
    const words = storesEncrypted(platform)
      ? "\nTexts are encrypted: searches use embeddings only, and keyword searches get 400."
      : "";
    if (directDatabase === undefined) return `${bases}; sqlite-vec compares the embeddings of a knowledge base${words}`;
    const found = await findVectorExtension(directDatabase);
    const advice = vectorAdvice(found);
    if (advice === undefined) {
      const invalid = (await findVectorIndexes(directDatabase)).filter(({ valid, building }) => !valid && !building);
      const names = invalid.map(({ name }) => name).join(", ");
      if (names === "") return `${bases}; pgvector ${found?.installed ?? found?.version}${words}`;
      const remedy = "The next search or ingestion starts a job that drops it and builds it again.";
      return { warning: `Invalid index of embeddings: ${names}. Searches do not use it.\n${remedy}` };
    }
    return {
      warning: `${advice}\nWithout it, a search compares at most ${maxScanned} embeddings, and fails above that.${words}`,
    };
  };
  return { search: check };
}

async function database(file: string | undefined, options: ServeOptions): Promise<string> {
  const { database: url, dataDir, migrate } = options;
  if (url === undefined && !existsSync(databaseFile(dataDir))) {
    if (!migrate)
      throw new ConfigurationError(`There is no database in ${resolve(dataDir)}, and --no-migrate makes none.`);
    checkDataFolder(dataDir);
    // If no database is opened, only this check finds a lock file that cannot be used.
    if (existsSync(lockFile(dataDir))) lockDataFolder(resolve(dataDir))();
    return `SQLite ${databaseFile(dataDir)}: the first start makes it`;
  }
  const found = await opened(file, options);
  // A pooler without a direct connection is rejected when the database is opened; the output mentions a pooler that is bypassed.
  const isPooler = url !== undefined && (await isPooled(url));
  return [found, isPooler ? "notifications go past the pooler" : "", await connections(options, isPooler)]
    .filter(Boolean)
    .join("; ");
}

/** Returns the connections of all processes; nothing for a single process. @throws ConfigurationError if Postgres does not allow them */
async function connections(options: ServeOptions, isPooler: boolean): Promise<string> {
  const processes = processesOf(options);
  const { database: url, directDatabase = url } = options;
  if (processes === undefined || directDatabase === undefined) return "";
  const each = isPooler ? ownConnections : ownConnections + defaultPoolSize;
  const limit = await connectionLimit(directDatabase);
  // A restart starts the next process before it ends the old one.
  const needed = (processes + 1) * each;
  if (needed <= limit) return `up to ${needed} of ${limit} connections`;
  throw new ConfigurationError(
    `${processes} processes need up to ${needed} connections (${each} each, and a restart starts one more process), and Postgres allows ${limit}: ` +
      "start fewer processes, or raise max_connections.",
  );
}

async function opened(
  file: string | undefined,
  { database: url, directDatabase, dataDir, migrate }: ServeOptions,
): Promise<string> {
  const runtime = commandRuntime();
  const processId = runtime.randomness.uuid();
  const config = { database: url, directDatabase, dataDir, migrate: false, runtime, processId };
  const keyProvider = await readOnlyKeys(file);
  try {
    const { store, signals, encryption } = await openStore({ ...config, keyProvider });
    const wrapping = [...((await encryption?.wrappingKeys()) ?? [])];
    await signals.close();
    await store.close();
    const keys = wrapping.map(([id, dataKeys]) => `${id} (${count(dataKeys, "data key")})`).join(", ");
    const encrypted = keys === "" ? "" : `; encrypted, needed keys: ${keys}`;
    return `${store.capabilities.label}, schema up to date${encrypted}`;
  } catch (error) {
    if (!(error instanceof SchemaOutdated) || !migrate) throw error;
    return "it answers; a start brings its schema up to date";
  }
}

/** Describes the standby. A start does not need it. @throws ConfigurationError without a primary, or for an invalid connection string */
async function standby(url: string | undefined, { database: primary }: ServeOptions): Promise<Finding> {
  checkReadDatabase(url, primary);
  const { standbyState } = await import("../../store/postgres/standby-lag.ts");
  const { serves, text } = await standbyState(url ?? "", primary ?? "");
  return serves ? text : { warning: text };
}

/** Checks all data and the state of the database. @throws ConfigurationError with a list of what is wrong */
async function data({ database: url, directDatabase, dataDir }: ServeOptions): Promise<string> {
  const file = databaseFile(dataDir);
  if (url === undefined && !existsSync(file)) return "there is none";
  const onProgress = progressOf();
  const checked =
    url === undefined
      ? await checkSqliteDeeply(file, onProgress)
      : await checkPostgresDeeply(directDatabase ?? url, onProgress);
  const { runs, events, lost, damagedRuns, findings, migration, replication } = checked;
  const { applied, known } = migration;
  const read = `${count(runs, "run")} and ${count(events, "event")} read`;
  const schema = applied === known ? `migration ${applied}` : `migration ${applied} of ${known}: indexes not checked`;
  const state = [read, schema, ...(replication === undefined ? [] : [replication])].join("; ");
  if (damagedRuns + findings.length === 0) return state;
  const listed = [...lost];
  if (damagedRuns > lost.length) listed.push(`and of ${damagedRuns - lost.length} more`);
  const summary = damagedRuns === 0 ? state : `${state}; of ${count(damagedRuns, "run")} something is lost`;
  const advice = damagedRuns === 0 ? [] : [url === undefined ? damageAdvice(file) : postgresAdvice];
  const found = findings.map(({ problem, remedy }) => `${problem}. ${remedy}`);
  throw new ConfigurationError([summary, ...listed, ...found, ...advice].join("\n"));
}

const postgresAdvice =
  "Lost events do not come back by themselves: restore a backup beside this database, and compare. pg_amcheck checks the files of Postgres.";

async function address(options: ServeOptions): Promise<string> {
  await checkAddress(options.host, portOf(options));
  const metricsPort = metricsPortOf(options);
  if (metricsPort !== undefined) await checkAddress(options.host, metricsPort, "--metrics-port");
  return `${options.host}:${options.port} is free`;
}

async function access(file: string | undefined, { host, allowAnonymous }: ServeOptions): Promise<string> {
  const rules = await rulesOf(file);
  checkHost(host, allowAnonymous, rules.mode);
  const who = isLoopback(host) ? "who is on this machine" : `who reaches ${host}`;
  if (rules.mode === "none") return `no authorization: everybody ${who} may do everything`;
  if (rules.mode === "security_key") return "the security key: who has OS_SECURITY_KEY may do everything";
  const issuers = rules.trustedIssuers.map(describeTrust).join("; ");
  return `tokens verified by ${issuers}; ${rules.userIsolation ? "every user sees its own" : "users are not isolated"}`;
}

async function token(file: string | undefined, given: string): Promise<string> {
  return await explainToken(given, await rulesOf(file), commandRuntime());
}

function describeTrust({ issuer, algorithms, keys, sources }: TrustedIssuer): string {
  const from = [...sources, ...keys].map(({ title }) => title).join(", ");
  return `${from} with ${algorithms.join(", ")}${issuer === undefined ? "" : ` for ${issuer}`}`;
}

/** Returns the authorization rules of a start. The output includes the warnings that a start would log. */
async function rulesOf(file: string | undefined): Promise<AccessRules> {
  const { id: platformId, authorization } = await loadPlatform(file);
  return resolveAccess({ platformId, authorization, environment: process.env, runtime: commandRuntime() });
}

function others(options: ServeOptions): string {
  const timeout = shutdownTimeoutOf(options);
  const processes = processesOf(options);
  const served = processes === undefined ? "" : `, ${heapText(processes)}`;
  return `log level ${logLevelOf(options)}, shutdown timeout ${timeout === undefined ? "from the settings" : `${timeout / 1000} s`}${served}`;
}

/** @throws ConfigurationError if the memory is too small */
function heapText(processes: number): string {
  const each = processes === 1 ? "1 process" : `${processes} processes`;
  if (isHeapChosen()) return each;
  const memory = machineMemory();
  const heap = heapOf(processes, memory);
  const warning = memoryWarning(processes, heap, memory);
  if (warning !== undefined) throw new ConfigurationError(warning);
  return `${each} with ${heap} MiB of heap each`;
}

function count(items: readonly unknown[] | number, noun: string): string {
  const number = typeof items === "number" ? items : items.length;
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
