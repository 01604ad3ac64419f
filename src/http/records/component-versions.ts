/** Stored components and their versions in their wire form: null members are omitted, times are in seconds. */
import { z } from "zod";
import type { VersionFault } from "../../define/registry.ts";
import type { ListedVersion, StoredComponent, StoredVersion } from "../../runs/components/versions.ts";
import { named } from "../input/named-schemas.ts";
import { pageInfo } from "./pages.ts";

/** The types of components. */
export const componentType: z.ZodEnum<{ agent: "agent"; team: "team"; workflow: "workflow" }> = named(
  "ComponentType",
  z.enum(["agent", "team", "workflow"]),
);

const object = z.record(z.string(), z.unknown());
const seconds = z.int();

const component = z.object({
  component_id: z.string(),
  component_type: componentType,
  name: z.string().nullish(),
  description: z.string().nullish(),
  current_version: z.int().nullish(),
  metadata: object.nullish(),
  created_by: z.string().nullish(),
  created_at: seconds,
  updated_at: seconds.nullish(),
  error: z.string().optional(),
});

const config = z.object({
  component_id: z.string(),
  version: z.int(),
  label: z.string().nullish(),
  stage: z.string(),
  config: object,
  notes: z.string().nullish(),
  created_by: z.string().nullish(),
  created_at: seconds,
  updated_at: seconds.nullish(),
});

/** A version as a file. */
const exported = z.object({
  component_id: z.string(),
  component_type: componentType,
  name: z.string(),
  description: z.string().nullish(),
  metadata: object.nullish(),
  version: z.int().nullish(),
  label: z.string().nullish(),
  notes: z.string().nullish(),
  config: object,
});

/** One exported version. */
export const exportRecord: z.ZodType = named("ComponentExport", exported);

/** One component. */
export const componentRecord: z.ZodType = named("ComponentResponse", component);

/** One version. */
export const configRecord: z.ZodType = named("ComponentConfigResponse", config);

/** A page of components. */
export const componentPage: z.ZodType = named(
  "PaginatedResponse_ComponentResponse_",
  z.object({ data: z.array(componentRecord), meta: pageInfo }),
);

/** @param fault why the process cannot use the current version */
export function toComponentRecord(one: StoredComponent, fault?: VersionFault): Record<string, unknown> {
  return {
    component_id: one.id,
    component_type: one.kind,
    name: one.name,
    ...given("description", one.description),
    ...given("current_version", one.currentVersion),
    ...given("metadata", one.metadata),
    ...given("created_by", one.createdBy),
    created_at: toSeconds(one.createdAt),
    ...given("updated_at", one.updatedAt === null ? null : toSeconds(one.updatedAt)),
    ...(fault && fault.version === one.currentVersion && { error: fault.message }),
  } satisfies z.input<typeof component>;
}

/** A config that was not read is an empty object. */
export function toConfigRecord(one: StoredVersion | ListedVersion): Record<string, unknown> {
  return {
    component_id: one.componentId,
    version: one.version,
    ...given("label", one.label),
    stage: one.stage,
    config: { ...one.config },
    ...given("notes", one.notes),
    ...given("created_by", one.createdBy),
    created_at: toSeconds(one.createdAt),
    ...given("updated_at", one.updatedAt === null ? null : toSeconds(one.updatedAt)),
  } satisfies z.input<typeof config>;
}

export function toExportRecord(component: StoredComponent, version: StoredVersion): Record<string, unknown> {
  return {
    component_id: component.id,
    component_type: component.kind,
    name: component.name,
    ...given("description", component.description),
    ...given("metadata", component.metadata),
    version: version.version,
    ...given("label", version.label),
    ...given("notes", version.notes),
    config: { ...version.config },
  } satisfies z.input<typeof exported>;
}

function given<Name extends string, Value>(name: Name, value: Value | null): { readonly [Key in Name]?: Value } {
  return (value === null ? {} : { [name]: value }) as { readonly [Key in Name]?: Value };
}

function toSeconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}
