/** Routes of stored components: agents, teams and workflows as versioned configurations. */

import type { z } from "zod";
import type { StoredComponent } from "../../runs/components/versions.ts";
import {
  componentPage,
  componentRecord,
  configRecord,
  exportRecord,
  toComponentRecord,
  toConfigRecord,
  toExportRecord,
} from "../records/component-versions.ts";
import { toPageInfo } from "../records/pages.ts";
import {
  componentChanges,
  componentIdPath,
  componentList,
  configChanges,
  configList,
  configPath,
  exportedVersion,
  forced,
  importedVersion,
  newComponent,
  newConfig,
} from "../requests/component-versions.ts";
import { sendJson, sendPage } from "../transport/json-pieces.ts";
import { type Access, type Operation, type Route, route } from "../transport/route.ts";
import { bodyErrors, storedErrors } from "../transport/statuses.ts";

const access = (action: "read" | "write" | "delete"): Access => ({ resource: "components", action });
const ofOne = (action: "read" | "write" | "delete"): Access => ({
  ...{ resource: "components", action, idParam: "component_id" },
});

function described(id: string, summary: string, success: Operation["success"], errors = storedErrors): Operation {
  return { id, summary, tag: "Components", security: "bearer", success, errors };
}

const found = (json: z.ZodType): Operation["success"] => ({ 200: { description: "Found", json } });
const created = (json: z.ZodType): Operation["success"] => ({ 201: { description: "Created", json } });
const deleted: Operation["success"] = { 204: { description: "Deleted" } };

/** Routes for components. */
const componentRoutes: readonly Route[] = [
  route({
    method: "GET",
    path: "/components",
    access: access("read"),
    operation: described("list_components", "List the components that have versions, in pages", found(componentPage)),
    query: componentList,
    async handle({ services: { registry, runs, runtime }, query: { query, page }, reply }) {
      const begun = runtime.clock.monotonic();
      const { components, total } = await runs.versions.list(query);
      const shown = (one: StoredComponent) => toComponentRecord(one, registry.faultOf(one.kind, one.id));
      return await sendPage(reply, components, shown, () =>
        toPageInfo({ page, limit: query.limit, total, milliseconds: runtime.clock.monotonic() - begun }),
      );
    },
  }),
  route({
    method: "POST",
    path: "/components",
    access: access("write"),
    operation: described(
      "create_component",
      "Create a component, with its first version if the body has a config",
      created(componentRecord),
      [...bodyErrors, 409],
    ),
    body: newComponent,
    async handle({ services: { runs }, caller, body, reply }) {
      const component = await runs.versions.create(caller, body);
      reply.code(201);
      return sendJson(reply, toComponentRecord(component));
    },
  }),
  route({
    method: "GET",
    path: "/components/{component_id}",
    access: ofOne("read"),
    operation: described("get_component", "Get a component", found(componentRecord)),
    pathParams: componentIdPath,
    async handle({ services: { registry, runs }, path, reply }) {
      const one = await runs.versions.find(path.id);
      return sendJson(reply, toComponentRecord(one, registry.faultOf(one.kind, one.id)));
    },
  }),
  route({
    method: "PATCH",
    path: "/components/{component_id}",
    access: ofOne("write"),
    operation: described(
      "update_component",
      "Change the name, the description, the metadata or the current version of a component",
      found(componentRecord),
      bodyErrors,
    ),
    pathParams: componentIdPath,
    body: componentChanges,
    async handle({ services: { runs }, caller, path, body, reply }) {
      return sendJson(reply, toComponentRecord(await runs.versions.change(caller, path.id, body)));
    },
  }),
  route({
    method: "DELETE",
    path: "/components/{component_id}",
    access: ofOne("delete"),
    operation: described(
      "delete_component",
      "Delete a component with its versions; a component that code defines is then used as in the code",
      deleted,
      [...storedErrors, 409],
    ),
    pathParams: componentIdPath,
    query: forced,
    async handle({ services: { runs }, caller, path, query, reply }) {
      await runs.versions.remove(caller, path.id, query.isForced);
      return reply.code(204).send();
    },
  }),
  route({
    method: "POST",
    path: "/components/{component_id}/unset-current",
    access: ofOne("write"),
    operation: described(
      "unset_current_config",
      "Use no version: new runs use the code's definition, if there is one",
      found(componentRecord),
      [...storedErrors, 409],
    ),
    pathParams: componentIdPath,
    query: forced,
    async handle({ services: { runs }, caller, path, query, reply }) {
      return sendJson(reply, toComponentRecord(await runs.versions.unsetCurrent(caller, path.id, query.isForced)));
    },
  }),
];

/** Routes for the versions of a component. */
const configRoutes: readonly Route[] = [
  route({
    method: "GET",
    path: "/components/{component_id}/configs",
    access: ofOne("read"),
    operation: described(
      "list_configs",
      "List the versions of a component, the newest first",
      found(configRecord.array()),
    ),
    pathParams: componentIdPath,
    query: configList,
    isHeavy: true,
    async handle({ services: { runs }, path, query, reply }) {
      const versions = await runs.versions.versions(path.id, query);
      return sendJson(reply, versions.map(toConfigRecord));
    },
  }),
  route({
    method: "POST",
    path: "/components/{component_id}/configs",
    access: ofOne("write"),
    operation: described(
      "create_config",
      "Add a version to a component; the first version of a component that code defines creates it",
      created(configRecord),
      bodyErrors,
    ),
    pathParams: componentIdPath,
    body: newConfig,
    async handle({ services: { runs }, caller, path, body: { version, ...given }, reply }) {
      const { config, label, notes, stage } = given;
      const added =
        version === undefined
          ? await runs.versions.add(caller, path.id, given)
          : await runs.versions.changeVersion(caller, path.id, version, { config, label, notes, stage });
      reply.code(201);
      return sendJson(reply, toConfigRecord(added));
    },
  }),
  route({
    method: "GET",
    path: "/components/{component_id}/configs/current",
    access: ofOne("read"),
    operation: described(
      "get_current_config",
      "Get the current version of a component; the newest one if none is current",
      found(configRecord),
    ),
    pathParams: componentIdPath,
    async handle({ services: { runs }, path, reply }) {
      return sendJson(reply, toConfigRecord(await runs.versions.current(path.id)));
    },
  }),
  route({
    method: "GET",
    path: "/components/{component_id}/configs/{version}",
    access: ofOne("read"),
    operation: described("get_component_config", "Get a version of a component", found(configRecord)),
    pathParams: configPath,
    async handle({ services: { runs }, path: { id, version }, reply }) {
      return sendJson(reply, toConfigRecord(await runs.versions.version(id, version)));
    },
  }),
  route({
    method: "PATCH",
    path: "/components/{component_id}/configs/{version}",
    access: ofOne("write"),
    operation: described("update_config", "Change a draft, or publish it", found(configRecord), bodyErrors),
    pathParams: configPath,
    body: configChanges,
    async handle({ services: { runs }, caller, path: { id, version }, body, reply }) {
      return sendJson(reply, toConfigRecord(await runs.versions.changeVersion(caller, id, version, body)));
    },
  }),
  route({
    method: "DELETE",
    path: "/components/{component_id}/configs/{version}",
    access: ofOne("delete"),
    operation: described("delete_config", "Delete a version that is not the current one", deleted),
    pathParams: configPath,
    async handle({ services: { runs }, caller, path: { id, version }, reply }) {
      await runs.versions.removeVersion(caller, id, version);
      return reply.code(204).send();
    },
  }),
  route({
    method: "POST",
    path: "/components/{component_id}/configs/{version}/set-current",
    access: ofOne("write"),
    operation: described(
      "set_current_config",
      "Make a published version the current one: new runs use it",
      found(componentRecord),
    ),
    pathParams: configPath,
    async handle({ services: { runs }, caller, path: { id, version }, reply }) {
      return sendJson(reply, toComponentRecord(await runs.versions.setCurrent(caller, id, version)));
    },
  }),
];

/** Routes that carry versions from server to server. */
const transferRoutes: readonly Route[] = [
  route({
    method: "GET",
    path: "/components/{component_id}/export",
    access: ofOne("read"),
    operation: described(
      "export_component",
      "Export a version with its component as one JSON object, by default the current version",
      found(exportRecord),
    ),
    pathParams: componentIdPath,
    query: exportedVersion,
    async handle({ services: { runs }, path, query, reply }) {
      const { component, version } = await runs.versions.export(path.id, query.version);
      return sendJson(reply, toExportRecord(component, version));
    },
  }),
  route({
    method: "POST",
    path: "/components/import",
    access: access("write"),
    operation: described(
      "import_component",
      "Add an exported version as a draft, unless the newest version has the same config",
      {
        200: { description: "The newest version, which has the same config", json: configRecord },
        201: { description: "The new draft", json: configRecord },
      },
      [...bodyErrors, 409],
    ),
    body: importedVersion,
    async handle({ services: { runs }, caller, body, reply }) {
      const { version, isNew } = await runs.versions.import(caller, body);
      reply.code(isNew ? 201 : 200);
      return sendJson(reply, toConfigRecord(version));
    },
  }),
];

/** Every route of components and their versions. */
export const componentVersionRoutes: readonly Route[] = [...componentRoutes, ...configRoutes, ...transferRoutes];
