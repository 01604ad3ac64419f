/** Queries of the registry and of migrations. */
import { z } from "zod";
import type { RegistryFilter } from "../../runs/registry.ts";
import { type Reader, reader } from "../input/decode.ts";
import { identifier } from "../input/identifiers.ts";
import { registryType } from "../records/registry.ts";

/** A page of the registry. */
export interface RegistryList {
  readonly filter: RegistryFilter;
  readonly page: number;
  readonly limit: number;
}

/** The query of `GET /registry`. */
export const registryList: Reader<RegistryList> = reader(
  z.object({
    resource_type: registryType.nullish(),
    name: z.string().nullish(),
    page: z.int().min(1).default(1),
    limit: z.int().min(1).max(100).default(20),
  }),
  ({ resource_type, name, page, limit }) => ({
    ...{ page, limit },
    filter: { type: resource_type ?? undefined, name: name ?? undefined },
  }),
);

/** The query of migrations. */
export const migrationTarget: Reader<{ target: string | undefined }> = reader(
  z.object({ target_version: z.string().nullish() }),
  (fields) => ({ target: fields.target_version ?? undefined }),
);

/** The database in the path. */
export const databasePath: Reader<{ databaseId: string }> = reader(z.object({ db_id: identifier }), (fields) => ({
  databaseId: fields.db_id,
}));
