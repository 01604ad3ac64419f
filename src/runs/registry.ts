/** The registry: what a platform consists of, as clients may see it. */
import { isFactory } from "../define/factory.ts";
import { mcpServersOf, ownTools } from "../define/mcp-server.ts";
import type { Component } from "../define/platform.ts";
import { isRemote } from "../define/remote.ts";
import type { Tool } from "../define/tool.ts";
import { modelId, providerName } from "../engine/model-call/models.ts";
import type { Principal } from "../model/principal.ts";
import { listComponents } from "./describe.ts";
import type { RunParts } from "./parts.ts";

/** The type of a part. The contract has more types: a platform has no parts of the others. */
export type RegistryType = "tool" | "model" | "db" | "agent" | "team" | "knowledge";

/** A part of a platform. */
export interface RegistryPart {
  readonly type: RegistryType;
  readonly name: string;
  readonly id?: string | undefined;
  readonly description?: string | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Parts of a type, and parts whose name contains a text in any case. Undefined: all. */
export interface RegistryFilter {
  readonly type: string | undefined;
  readonly name: string | undefined;
}

type RegistryParts = Pick<RunParts, "registry" | "gate" | "platform" | "knowledge">;

/**
 * The parts of the platform, by type and name: the agents and teams that the caller may read, their models and tools, knowledge bases, and the database. Two tools
 * with one name are two parts.
 */
export function listRegistry(
  parts: RegistryParts,
  caller: Principal,
  { type, name }: RegistryFilter,
): readonly RegistryPart[] {
  const text = name?.toLowerCase();
  return allParts(parts, caller)
    .filter((part) => type === undefined || part.type === type)
    .filter((part) => text === undefined || part.name.toLowerCase().includes(text))
    .sort((one, other) => compare(one.type, other.type) || compare(one.name, other.name));
}

function allParts(parts: RegistryParts, caller: Principal): RegistryPart[] {
  const listed = (["agent", "team"] as const).flatMap((kind) => listComponents(parts, caller, "read", kind));
  const entries = listed.flatMap(({ kind, id }) => parts.registry.find(kind, id) ?? []);
  const known = entries.filter(
    (entry): entry is Component => !isFactory(entry) && !isRemote(entry) && entry.kind !== "workflow",
  );
  const models = new Map(known.map(({ model }) => [`${providerName(model)}:${modelId(model)}`, model]));
  return [
    ...listed.map(({ kind, id, name, description }) => ({
      ...{ type: kind as "agent" | "team", name, id, metadata: { id } },
      description: description === "" ? undefined : description,
    })),
    ...[...models.values()].map((model) => ({
      ...{ type: "model" as const, name: modelId(model) },
      metadata: { provider: providerName(model), model_id: modelId(model) },
    })),
    ...[...new Set(known.flatMap(ownTools))].map(toPart),
    ...[...new Set(known.flatMap(mcpServersOf))].map((server) => ({
      ...{ type: "tool" as const, name: server.name, metadata: { is_toolkit: true } },
    })),
    ...[...parts.knowledge.bases.values()].map(({ definition: { id, name, description } }) => ({
      ...{ type: "knowledge" as const, name, id, description, metadata: { id } },
    })),
    { type: "db", name: parts.platform.databaseId, metadata: { db_id: parts.platform.databaseId } },
  ];
}

function toPart({ name, description, inputSchema, confirm, external }: Tool): RegistryPart {
  const waits = { ...(confirm && { requires_confirmation: true }), ...(external && { external_execution: true }) };
  return { type: "tool", name, description, metadata: { is_toolkit: false, parameters: inputSchema, ...waits } };
}

function compare(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1;
}
