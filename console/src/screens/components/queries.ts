import { queryOptions, useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, dataOf, type Schema } from "../../api/client.ts";
import type { ComponentKind } from "../../api/component-kinds.ts";
import { ApiError } from "../../api/errors.ts";
import { notifyDone } from "../../api/queries.ts";
import { downloadJson } from "../../components/download.ts";
import { objectIn } from "../../components/json-object-input.tsx";
import type { Config } from "./config.ts";

export type Stored = Schema<"ComponentResponse">;
export type Version = Schema<"ComponentConfigResponse">;
type Exported = Schema<"ComponentImport">;
export type Definition = Schema<"ComponentDefinition">;
export type Parts = Schema<"ComponentDefinitions">["parts"];

/** Versions per request. */
const pageSize = 50;
const storedPageSize = 100;

/** Other people publish versions, too, so the screens are read again at this interval in milliseconds. */
const pollInterval = 15_000;

/** The definitions in code change only with a deployment. */
export const definitionsQuery = queryOptions({
  queryKey: ["definitions"],
  queryFn: ({ signal }) => dataOf(api.GET("/definitions", { signal })),
  staleTime: 60_000,
});

/** All components with versions: a platform has at most 1,000. */
export const storedQuery = queryOptions({
  queryKey: ["components", "stored"],
  queryFn: async ({ signal }) => {
    const found: Stored[] = [];
    for (let page = 1, pages = 1; page <= pages; page++) {
      const params = { query: { page, limit: storedPageSize } };
      const { data, meta } = await dataOf(api.GET("/components", { params, signal }));
      found.push(...data);
      pages = meta.total_pages ?? 1;
    }
    return found;
  },
  refetchInterval: pollInterval,
});

function oneStoredQuery(id: string) {
  return queryOptions({
    queryKey: ["components", "stored", id],
    queryFn: ({ signal }) => dataOf(api.GET("/components/{component_id}", { params: pathOf(id), signal })),
    refetchInterval: pollInterval,
  });
}

/** A version with its config. */
export function versionQuery(id: string, version: number) {
  return queryOptions({
    queryKey: ["components", "version", id, version],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET("/components/{component_id}/configs/{version}", {
          params: { path: { component_id: id, version } },
          signal,
        }),
      ),
  });
}

function versionsKey(id: string) {
  return ["components", "versions", id];
}

/** The versions of a component without their configs, the newest first. */
function useVersions(id: string) {
  return useInfiniteQuery({
    queryKey: versionsKey(id),
    queryFn: ({ signal, pageParam }) => {
      const query = {
        include_config: false,
        limit: pageSize,
        ...(pageParam === undefined ? {} : { before: pageParam }),
      };
      return dataOf(
        api.GET("/components/{component_id}/configs", { params: { path: { component_id: id }, query }, signal }),
      );
    },
    initialPageParam: undefined as number | undefined,
    getNextPageParam: (page) => (page.length < pageSize ? undefined : page.at(-1)?.version),
    refetchInterval: pollInterval,
  });
}

/** A component with its versions. */
export interface Shown {
  readonly kind: ComponentKind;
  readonly id: string;
  readonly name: string;
  readonly description: string | undefined;
  readonly definition: Definition | undefined;
  /** Undefined before the first version. */
  readonly stored: Stored | undefined;
  readonly versions: readonly Version[];
  readonly parts: Parts;
}

export function useComponent(kind: ComponentKind, id: string) {
  const definitions = useQuery(definitionsQuery);
  const list = useVersions(id);
  const definition = definitions.data?.components.find((one) => one.component_type === kind && one.component_id === id);
  const hasVersions = (list.data?.pages[0]?.length ?? 0) > 0;
  // A component that code defines has no record before its first version.
  const needsStored = definitions.data !== undefined && (definition === undefined || hasVersions);
  const one = useQuery({ ...oneStoredQuery(id), enabled: needsStored });
  const isLoading = definitions.isPending || list.isPending || (needsStored && one.isPending);
  // Code can define components of several kinds with one id: versions belong to one of them.
  const stored = one.data?.component_type === kind ? one.data : undefined;
  const shown: Shown | undefined =
    definitions.data && !isLoading && (stored || definition)
      ? {
          ...{ kind, id, definition, stored, parts: definitions.data.parts },
          name: stored?.name ?? definition?.name ?? id,
          description: stored?.description ?? textOf(definition?.config.description),
          versions: stored ? (list.data?.pages.flat() ?? []) : [],
        }
      : undefined;
  const error = definitions.error ?? list.error ?? one.error;
  const refetch = () => Promise.all([definitions.refetch(), list.refetch(), needsStored && one.refetch()]);
  return { shown, isLoading, error, refetch, list };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Changes a component, shows the sentence that the change returns, and reads the components again. */
export function useComponentChange<Input, Refused = never>(change: (input: Input) => Promise<string | Refused>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: (done) => (typeof done === "string" ? notifyDone(done) : undefined),
    onSettled: () => queries.invalidateQueries({ queryKey: ["components"] }),
  });
}

/** Deletes a version. The page may still show it, so that only the list is read again. */
export function useRemoveVersion() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: removeVersion,
    onSuccess: (done, { component_id: id }) => {
      notifyDone(done);
      return queries.invalidateQueries({ queryKey: versionsKey(id) });
    },
  });
}

/** Deletes a component. Its own queries are not read again, because it no longer exists. */
export function useRemoveComponent(onRemoved: () => Promise<void>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: removeComponent,
    onSuccess: async (done, { stored: { component_id: id, component_type: kind } }) => {
      if (typeof done !== "string") return;
      notifyDone(done);
      await onRemoved();
      queries.setQueryData(versionsKey(id), { pages: [[]], pageParams: [undefined] });
      await queries.invalidateQueries({ queryKey: storedQuery.queryKey, exact: true });
      await queries.invalidateQueries({ queryKey: ["components", kind], exact: true });
    },
  });
}

export async function publish({ component_id: id, version }: Version): Promise<string> {
  const params = { path: { component_id: id, version } };
  await api.PATCH("/components/{component_id}/configs/{version}", { params, body: { stage: "published" } });
  return `Version ${version} is published. New runs use it.`;
}

export async function setCurrent({ component_id: id, version }: Version): Promise<string> {
  const params = { path: { component_id: id, version } };
  await api.POST("/components/{component_id}/configs/{version}/set-current", { params });
  return `New runs use version ${version}.`;
}

async function removeVersion({ component_id: id, version }: Version): Promise<string> {
  const params = { path: { component_id: id, version } };
  await api.DELETE("/components/{component_id}/configs/{version}", { params });
  return `Version ${version} is deleted.`;
}

/** A request that the server refuses while other components need the component. */
interface Removal {
  readonly stored: Stored;
  /** The server does not refuse it. */
  readonly force: boolean;
}

/** The server refused a removal. */
export interface InUse {
  /** The components that need the component: `team desk, workflow flow`. */
  readonly users: string;
}

export async function unsetCurrent({ stored: { component_id: id }, force }: Removal): Promise<string | InUse> {
  const params = { ...pathOf(id), query: { force } };
  const removing = api.POST("/components/{component_id}/unset-current", { params });
  return await unlessUsed(removing, "New runs use the definition in code.");
}

async function removeComponent({ stored: { component_id: id, name }, force }: Removal): Promise<string | InUse> {
  const removing = api.DELETE("/components/{component_id}", { params: { ...pathOf(id), query: { force } } });
  return await unlessUsed(removing, `The versions of ${name ?? id} are deleted.`);
}

async function unlessUsed(removing: Promise<unknown>, done: string): Promise<string | InUse> {
  try {
    await removing;
    return done;
  } catch (error) {
    const isConflict = error instanceof ApiError && error.status === 409;
    const users = isConflict ? /is used by (.+): change these first/.exec(error.message)?.[1] : undefined;
    if (users === undefined) throw error;
    return { users };
  }
}

/** Saves an export of a version as a file. */
export function useExport() {
  return useMutation({
    mutationFn: async ({ id, version }: { readonly id: string; readonly version: number }) => {
      const params = { ...pathOf(id), query: { version } };
      const exported = await dataOf(api.GET("/components/{component_id}/export", { params }));
      downloadJson(`${id}-${version}.json`, exported);
    },
  });
}

/** Adds the version of an exported file as a draft. */
export function useImport(onImported: (body: Exported) => Promise<void>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (file: File) => {
      const body = objectIn(await file.text()) as Exported | undefined;
      if (!body) throw new ApiError(`${file.name} is not an export: it is not a JSON object.`, { status: 422 });
      const { data, response } = await api.POST("/components/import", { body });
      return { body, version: data?.version, isNew: response.status === 201 };
    },
    onSuccess: async ({ body, version, isNew }) => {
      const { component_id: id } = body;
      notifyDone(
        isNew
          ? `Version ${version} of ${id} is a new draft.`
          : `The file is the same as version ${version} of ${id}. Nothing changes.`,
      );
      await queries.invalidateQueries({ queryKey: ["components"] });
      await onImported(body);
    },
  });
}

/** A draft becomes the current version when it is published. */
const ofDraft = { stage: "draft", set_current: true } as const;

export interface NewComponent {
  readonly name: string;
  readonly kind: ComponentKind;
  /** Empty: the server makes it of the name. */
  readonly id: string;
  readonly description: string;
}

export async function createComponent({ name, kind, id, description }: NewComponent): Promise<Stored> {
  const optional = { ...(id && { component_id: id }), ...(description && { description }) };
  const body = { name, component_type: kind, ...optional, ...ofDraft };
  return await dataOf(api.POST("/components", { body }));
}

/** What the editor saves. */
export interface Draft {
  readonly config: Config;
  readonly label: string;
  readonly notes: string;
}

/** Changes a draft, or adds one. Returns the number of the version. @throws ApiError */
export async function saveDraft(shown: Shown, draft: number | undefined, given: Draft): Promise<number> {
  const { kind, id, name, stored } = shown;
  const config = { ...given.config };
  const path = { component_id: id };
  if (draft !== undefined) {
    const params = { path: { ...path, version: draft } };
    const body = { config, label: given.label, notes: given.notes };
    await api.PATCH("/components/{component_id}/configs/{version}", { params, body });
    return draft;
  }
  const texts = { ...(given.label && { label: given.label }), ...(given.notes && { notes: given.notes }) };
  const body = { config, ...texts, ...ofDraft };
  if (stored) {
    const added = await dataOf(api.POST("/components/{component_id}/configs", { params: { path }, body }));
    return added.version;
  }
  await api.POST("/components", { body: { ...body, component_id: id, component_type: kind, name } });
  return 1;
}

function pathOf(id: string) {
  return { path: { component_id: id } };
}
