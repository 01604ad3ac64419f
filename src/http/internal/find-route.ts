/** Finds the route of this platform that serves an internal call, and checks whether the call can succeed. */
import type { Registry } from "../../define/registry.ts";
import { type FieldFault, TroupeError, valueFault } from "../../errors.ts";
import type { ComponentName } from "../../runs/find.ts";
import type { StartCommand } from "../../runs/start.ts";
import { isOpen } from "../callers/route-access.ts";
import { startBody } from "../input/start-form.ts";
import { invalid } from "../input/validation-errors.ts";
import { kinds } from "../transport/kinds.ts";
import type { Route } from "../transport/route.ts";

type Payload = Readonly<Record<string, unknown>> | null;

/** A route that serves an endpoint. */
export interface OwnRoute {
  readonly route: Route;
  /** Id of the component that the route's path names, if any. */
  readonly id: string | undefined;
  /** For a route that starts runs: the start that a payload requests. @throws TroupeError `validation` */
  readonly toStart: ((payload: Payload) => StartCommand) | undefined;
  /** For a route that has runs started later: the component of these runs that a payload names. */
  componentOf(payload: Payload): ComponentName | undefined;
  /** Rejects a call that can never succeed: the component is not hosted, or the payload cannot start a run. @throws TroupeError `validation` */
  check(payload: Payload): void;
}

const base = "http://localhost";
const starts = /^\/(agents|teams|workflows)\/\{\w+\}\/runs$/;

/** The route that serves an endpoint; undefined for a path outside of this platform, or a path that the platform must not call itself. */
export function findOwn(
  { routes, registry }: { readonly routes: readonly Route[]; readonly registry: Registry },
  method: string,
  endpoint: string,
): OwnRoute | undefined {
  const url = endpoint.startsWith("/") ? URL.parse(endpoint, base) : null;
  if (url?.origin !== base || url.hash !== "" || !isDecodable(url.pathname)) return undefined;
  const parts = url.pathname.replaceAll(/%3a/gi, ":").split("/");
  const [route] = routes
    .filter((one) => one.method === method && fits(one.path.split("/"), parts))
    // Literal path segments take precedence over parameters, as in the router.
    .sort((one, other) => one.path.split("{").length - other.path.split("{").length);
  if (!route || route.path.endsWith("/trigger")) return undefined;
  const id = idOf(route, parts);
  const toStart = startOf(route, id);
  return {
    ...{ route, id, toStart },
    componentOf: (payload) => measuredComponent(route, payload),
    check(payload) {
      refuseUnknown(registry, route, id, endpoint);
      if (toStart) refuseMisfit(toStart, payload);
    },
  };
}

/** The component whose runs an eval or an experiment starts. */
function measuredComponent({ method, path }: Route, payload: Payload): ComponentName | undefined {
  if (method !== "POST") return undefined;
  const { agent_id: agent, team_id: team, component_type: type, component_id: componentId } = payload ?? {};
  if (path === "/eval-runs" && typeof agent === "string") return { kind: "agent", componentId: agent };
  if (path === "/eval-runs" && typeof team === "string") return { kind: "team", componentId: team };
  const kind = Object.values(kinds).find(({ name }) => name === type)?.name;
  return path === "/experiments" && kind && typeof componentId === "string" ? { kind, componentId } : undefined;
}

function refuseUnknown(registry: Registry, { access }: Route, id: string | undefined, endpoint: string): void {
  if (isOpen(access) || access.idParam === undefined) return;
  const kind = Object.values(kinds).find(({ plural }) => plural === access.resource);
  if (!kind || (id !== undefined && registry.find(kind.name, id))) return;
  const msg = `Value error, this platform has no ${kind.name} ${JSON.stringify(id ?? "")}`;
  throw invalid([{ type: "value_error", loc: ["body", "endpoint"], msg, input: endpoint }]);
}

/** The reader of starts, for a route that starts runs of a component. */
function startOf({ method, path, access }: Route, id: string | undefined): OwnRoute["toStart"] {
  const kind = isOpen(access) ? undefined : Object.values(kinds).find(({ plural }) => plural === access.resource);
  if (!kind || id === undefined || method !== "POST" || !starts.test(path)) return undefined;
  const { reader } = startBody(kind.name);
  return (payload) => {
    const { files: _, streamEvents: __, stream: ___, ...form } = reader.read(startFields(payload ?? {}), "body");
    return { ...form, kind: kind.name, componentId: id };
  };
}

/** The fields of a start in the background. As in a form, numbers are texts, and objects in text fields are JSON texts. */
function startFields(payload: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const given = Object.entries({ ...payload, stream: false, background: true });
  const present = given.filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(
    present.map(([name, value]) => {
      if (typeof value !== "object") return [name, String(value)];
      return [name, texts.has(name) ? JSON.stringify(value) : value];
    }),
  );
}

/** Fields whose texts may hold JSON. */
const texts: ReadonlySet<string> = new Set(["message", "factory_input"]);

function refuseMisfit(toStart: NonNullable<OwnRoute["toStart"]>, payload: Payload): void {
  try {
    toStart(payload);
  } catch (error) {
    if (!(error instanceof TroupeError)) throw error;
    const faults: readonly FieldFault[] = error.faults ?? [valueFault(["body"], error.message)];
    throw invalid(
      faults.map((fault) => {
        const [, ...place] = fault.loc;
        // The error for a missing field contains the payload that was sent, not the form generated from it.
        const isMissing = fault.type === "missing" && place.length === 1;
        return { ...fault, loc: ["body", "payload", ...place], ...(isMissing && { input: payload }) };
      }),
    );
  }
}

function fits(pattern: readonly string[], parts: readonly string[]): boolean {
  return (
    pattern.length === parts.length &&
    pattern.every((word, place) => (word.startsWith("{") ? parts[place] !== "" : word === parts[place]))
  );
}

function idOf({ path, access }: Route, parts: readonly string[]): string | undefined {
  if (isOpen(access) || access.idParam === undefined) return undefined;
  const part = parts[path.split("/").indexOf(`{${access.idParam}}`)];
  return part === undefined ? undefined : decodeURIComponent(part);
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
