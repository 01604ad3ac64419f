/** `GET /config`: the hosted components and their database. Null members are omitted. */
import { z } from "zod";
import type { Agent } from "../../define/agent.ts";
import type { QuickPrompts } from "../../define/options/quick-prompts.ts";
import type { Entry, Platform } from "../../define/platform.ts";
import { isOwn } from "../../define/registry.ts";
import type { Team } from "../../define/team.ts";
import type { ComponentKind } from "../../model/run/run.ts";
import type { StoreCapabilities } from "../../store/contract/store.ts";
import { named } from "../input/named-schemas.ts";
import { evalsTables, knowledgeTables, learningsTables, memoriesTables, metricsTables, tables } from "./database.ts";
import { modelSummary, toModelSummary } from "./models.ts";
import { summariseWorkflow, workflowSummary } from "./workflow-summary.ts";

const text = z.string().nullish();
const texts = z.array(z.string()).nullish();
const object = z.record(z.string(), z.unknown());

/** Settings of a domain: its databases, each with its display settings and its tables. The names are the contract's. */
function domain(title: string) {
  const shown = named(`${title}DomainConfig`, z.object({ display_name: text }));
  const entry = z.object({ db_id: z.string(), domain_config: shown.nullish(), tables: texts });
  const dbs = z.array(named(`DatabaseConfig_${title}DomainConfig_`, entry)).nullish();
  return named(`${title}Config`, z.object({ display_name: text, dbs })).nullish();
}

const knowledgeDatabase = z.object({
  db_id: z.string(),
  domain_config: named("KnowledgeDomainConfig", z.object({ display_name: text })).nullish(),
  tables: z.array(z.string()).default([]),
});

const knowledgeInstance = z.object({
  id: z.string(),
  name: z.string(),
  description: text,
  db_id: z.string(),
  table: z.string(),
});

const knowledge = z.object({
  display_name: text,
  dbs: z.array(named("KnowledgeDatabaseConfig", knowledgeDatabase)).nullish(),
  knowledge_instances: z.array(named("KnowledgeInstanceConfig", knowledgeInstance)).nullish(),
});

const manifest = z.object({ description: text, labels: texts, quick_prompts: texts });
const chat = z.object({ quick_prompts: z.record(z.string(), z.array(z.string())) });
const summaryMembers = { id: text, name: text, description: text, db_id: text };
const agentSummary = z.object({ ...summaryMembers, model: modelSummary.nullish(), metadata: object.nullish() });
const teamSummary = z.object({ ...summaryMembers, mode: text, model: modelSummary.nullish() });
const config = z.object({
  os_id: z.string(),
  name: text,
  description: text,
  available_models: texts,
  os_database: text,
  databases: z.array(z.string()),
  chat: named("ChatConfig", chat).nullish(),
  manifest: z.record(z.string(), named("Manifest", manifest)).nullish(),
  session: domain("Session"),
  metrics: domain("Metrics"),
  memory: domain("Memory"),
  learning: domain("Learning"),
  knowledge: named("KnowledgeConfig", knowledge).nullish(),
  evals: domain("Evals"),
  traces: domain("Traces"),
  agents: z.array(named("AgentSummaryResponse", agentSummary)),
  teams: z.array(named("TeamSummaryResponse", teamSummary)),
  workflows: z.array(workflowSummary),
  interfaces: z.array(
    named("InterfaceResponse", z.object({ type: z.string(), version: z.string(), route: z.string() })),
  ),
});

export const configResponse: z.ZodType = named("ConfigResponse", config);

const titles: Readonly<Record<StoreCapabilities["dialect"], string>> = { sqlite: "SQLite", postgres: "Postgres" };

/** The platform and the kind of its database. The database's location (path or host) is not disclosed to clients. */
export function toConfig(
  platform: Platform,
  hosted: readonly Entry[],
  { dialect }: Pick<StoreCapabilities, "dialect">,
): Record<string, unknown> {
  const { databaseId } = platform;
  const shown = { domain_config: { display_name: titles[dialect] } };
  const databaseOf = (known: readonly string[]) => ({ db_id: databaseId, ...shown, tables: [...known] });
  const domainOf = (known: readonly string[]) => ({ dbs: [databaseOf(known)] });
  const own = hosted.filter(isOwn);
  const others = hosted.filter((one) => !isOwn(one));
  const othersOf = (kind: ComponentKind) => others.filter((one) => one.kind === kind);
  return {
    os_id: platform.id,
    name: platform.name,
    ...(platform.description ? { description: platform.description } : {}),
    available_models: [],
    os_database: databaseId,
    databases: [databaseId],
    ...(platform.quickPrompts ? { chat: { quick_prompts: copied(platform.quickPrompts) } } : {}),
    session: domainOf(tables),
    metrics: domainOf(metricsTables),
    memory: domainOf(memoriesTables),
    learning: domainOf(learningsTables),
    knowledge: {
      dbs: platform.knowledge.length > 0 ? [databaseOf(knowledgeTables)] : [],
      knowledge_instances: platform.knowledge.map((base) => ({
        ...shortened(base, databaseId),
        table: knowledgeTables[0],
      })),
    },
    evals: domainOf(evalsTables),
    traces: { dbs: [{ db_id: databaseId, ...shown }] },
    agents: [
      ...own.filter((one) => one.kind === "agent").map((agent) => summarised(agent, databaseId)),
      ...othersOf("agent").map((one) => shortened(one, databaseId)),
    ],
    teams: [
      ...own.filter((one) => one.kind === "team").map((team) => ({ ...summarised(team, databaseId), mode: team.mode })),
      ...othersOf("team").map((one) => shortened(one, databaseId)),
    ],
    workflows: [...own.filter((one) => one.kind === "workflow"), ...othersOf("workflow")].map((one) =>
      summariseWorkflow(one as Parameters<typeof summariseWorkflow>[0], databaseId),
    ),
    interfaces: interfacesOf(platform),
  } satisfies z.input<typeof config>;
}

/** The protocols besides this one, by the path of their routes. AG-UI has routes below every component, so its path is empty, as recorded. */
function interfacesOf({ a2a, agUi, aiUi, mcp, openai }: Platform) {
  return [
    ...(a2a === false ? [] : [{ type: "a2a", version: "1.0", route: "/a2a" }]),
    ...(agUi === false ? [] : [{ type: "agui", version: "1.0", route: "" }]),
    ...(aiUi ? [{ type: "ai-sdk-ui", version: "7", route: "/ui" }] : []),
    ...(mcp === false ? [] : [{ type: "mcp", version: "2026-07-28", route: "/mcp" }]),
    ...(openai ? [{ type: "openai", version: "1", route: "/v1" }] : []),
  ];
}

function copied(prompts: QuickPrompts): Record<string, string[]> {
  return Object.fromEntries(Object.entries(prompts).map(([id, messages]) => [id, [...messages]]));
}

function summarised(component: Agent | Team, databaseId: string) {
  return { ...shortened(component, databaseId), model: toModelSummary(component) };
}

function shortened({ id, name, description }: Pick<Entry, "id" | "name" | "description">, databaseId: string) {
  return { id, name, ...(description ? { description } : {}), db_id: databaseId };
}
