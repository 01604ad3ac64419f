/** Paths, queries and bodies of the routes of components and their versions. */
import { z } from "zod";
import type {
  GivenChanges,
  GivenComponent,
  GivenVersion,
  PortableVersion,
  VersionChanges,
} from "../../runs/components/versions.ts";
import type { ComponentQuery, VersionQuery } from "../../store/contract/component-versions.ts";
import type { BodySpec } from "../input/body.ts";
import { type Reader, reader } from "../input/decode.ts";
import { identifier } from "../input/identifiers.ts";
import { componentType } from "../records/component-versions.ts";

/** A text that is stored unchanged. Postgres stores neither NUL nor a lone surrogate. */
function text(most: number): z.ZodString {
  return z
    .string()
    .max(most)
    .refine((value) => !value.includes("\0") && value.isWellFormed(), "the text cannot be stored");
}

const object = z.record(z.string(), z.unknown());

/** Max characters of the JSON text of a component's metadata: each process reads it with every change. */
const maxMetadata = 20_000;

const metadata = object
  .refine(
    (value) => JSON.stringify(value).length <= maxMetadata,
    `the metadata is larger than ${maxMetadata} characters`,
  )
  .nullish();
const name = text(255).min(1);
const description = text(4_096).nullish();
const label = text(255).nullish();
const notes = text(16_384).nullish();
const stage = z.enum(["draft", "published"]);
const noLinks = z
  .array(object)
  .max(0, "links are not supported: a config names members and steps by their ids")
  .nullish();

/** Version numbers that the database stores. */
const number = z.int().max(2_147_483_647);

/** The path of one component. */
export const componentIdPath: Reader<{ id: string }> = reader(
  z.object({ component_id: identifier }),
  ({ component_id }) => ({ id: component_id }),
);

/** Whether a change is made although other components name this one. */
export const forced: Reader<{ isForced: boolean }> = reader(
  z.object({
    force: z
      .boolean()
      .default(false)
      .describe("Also if versions of other components name it. They cannot be used then."),
  }),
  ({ force }) => ({ isForced: force }),
);

/** The path of one version. */
export const configPath: Reader<{ id: string; version: number }> = reader(
  z.object({ component_id: identifier, version: number }),
  ({ component_id, version }) => ({ id: component_id, version }),
);

/** A page of components. */
export interface ComponentList {
  readonly query: Omit<ComponentQuery, "maxBytes">;
  readonly page: number;
}

/** The query of `GET /components`. */
export const componentList: Reader<ComponentList> = reader(
  z.object({
    component_type: componentType.nullish(),
    page: z.int().min(1).default(1),
    limit: z.int().min(1).max(100).default(20),
  }),
  ({ component_type, page, limit }) => ({
    page,
    query: { kind: component_type ?? undefined, limit, offset: Math.min((page - 1) * limit, Number.MAX_SAFE_INTEGER) },
  }),
);

/** The query of `GET /components/{component_id}/configs`. */
export const configList: Reader<Omit<VersionQuery, "maxBytes">> = reader(
  z.object({
    include_config: z.boolean().default(true),
    limit: z.int().min(1).max(1_000).default(1_000),
    before: number.nullish().describe("Only versions with lower numbers."),
  }),
  ({ include_config, limit, before }) => ({ withConfigs: include_config, limit, before: before ?? undefined }),
);

/** The body of `POST /components`. */
export const newComponent: BodySpec<GivenComponent> = {
  name: "ComponentCreate",
  types: ["json"],
  required: true,
  reader: reader(
    z.object({
      name,
      component_id: identifier.nullish(),
      component_type: componentType,
      description,
      metadata,
      config: object.nullish(),
      label,
      stage: stage.default("draft"),
      notes,
      set_current: z.boolean().default(true),
    }),
    (fields) => ({
      kind: fields.component_type,
      name: fields.name,
      id: fields.component_id ?? undefined,
      description: fields.description ?? undefined,
      metadata: fields.metadata ?? undefined,
      version: fields.config ? toVersion({ ...fields, config: fields.config }) : undefined,
    }),
  ),
};

/** The body of `PATCH /components/{component_id}`. Null keeps a value, as in the reference. */
export const componentChanges: BodySpec<GivenChanges> = {
  name: "ComponentUpdate",
  types: ["json"],
  required: true,
  reader: reader(
    z.object({
      name: name.nullish(),
      description,
      component_type: z.string().nullish(),
      metadata,
      current_version: number.nullish(),
    }),
    (fields) => ({
      name: fields.name ?? undefined,
      description: fields.description ?? undefined,
      kind: fields.component_type ?? undefined,
      metadata: fields.metadata ?? undefined,
      currentVersion: fields.current_version ?? undefined,
    }),
  ),
};

/** The body of `POST /components/{component_id}/configs`. */
export const newConfig: BodySpec<GivenVersion & { readonly version: number | undefined }> = {
  name: "ConfigCreate",
  types: ["json"],
  required: true,
  reader: reader(
    z.object({
      config: object,
      version: number.nullish(),
      label,
      stage: stage.default("draft"),
      notes,
      links: noLinks,
      set_current: z.boolean().default(true),
    }),
    (fields) => ({ ...toVersion(fields), version: fields.version ?? undefined }),
  ),
};

/** The body of `PATCH /components/{component_id}/configs/{version}`. Null keeps a value, as in the reference. */
export const configChanges: BodySpec<VersionChanges> = {
  name: "ConfigUpdate",
  types: ["json"],
  required: true,
  reader: reader(
    z.object({ config: object.nullish(), label, stage: stage.nullish(), notes, links: noLinks }),
    (fields) => ({
      config: fields.config ?? undefined,
      label: fields.label ?? undefined,
      stage: fields.stage ?? undefined,
      notes: fields.notes ?? undefined,
    }),
  ),
};

/** The query of `GET /components/{component_id}/export`. */
export const exportedVersion: Reader<{ version: number | undefined }> = reader(
  z.object({ version: number.nullish() }),
  ({ version }) => ({ version: version ?? undefined }),
);

/** The body of `POST /components/import`: an export. Its version number is that of another server, and is ignored. */
export const importedVersion: BodySpec<PortableVersion> = {
  name: "ComponentImport",
  types: ["json"],
  required: true,
  reader: reader(
    z.object({
      component_id: identifier,
      component_type: componentType,
      name,
      description,
      metadata,
      version: number.nullish(),
      label,
      notes,
      config: object,
    }),
    (fields) => ({
      component: {
        ...{ id: fields.component_id, kind: fields.component_type, name: fields.name },
        ...{ description: fields.description ?? null, metadata: fields.metadata ?? null },
      },
      version: { config: fields.config, label: fields.label ?? null, notes: fields.notes ?? null },
    }),
  ),
};

interface VersionFields {
  readonly config: Record<string, unknown>;
  readonly label?: string | null | undefined;
  readonly stage: "draft" | "published";
  readonly notes?: string | null | undefined;
  readonly set_current: boolean;
}

function toVersion({ config, label: given, stage: wanted, notes: noted, set_current }: VersionFields): GivenVersion {
  return { config, label: given ?? undefined, notes: noted ?? undefined, stage: wanted, setsCurrent: set_current };
}
