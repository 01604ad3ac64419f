/** Scopes: `<resource>:<action>`, for one component `<resource>:<id>:<action>`, for all of them `<resource>:*:<action>`. */
import type { Principal } from "../model/principal.ts";

/** The scope that allows everything, unless another one is named. */
export const usualAdminScope = "agent_os:admin";

/** Resources with the actions that there are. */
export const vocabulary: Readonly<Record<string, readonly string[]>> = {
  agents: ["delete", "read", "run", "write"],
  approvals: ["delete", "read", "write"],
  components: ["delete", "read", "write"],
  config: ["read", "write"],
  evals: ["delete", "read", "write"],
  knowledge: ["delete", "read", "write"],
  learnings: ["delete", "read", "write"],
  memories: ["delete", "read", "write"],
  metrics: ["read", "write"],
  registry: ["read"],
  schedules: ["delete", "read", "write"],
  service_accounts: ["delete", "read", "write"],
  sessions: ["delete", "read", "write"],
  teams: ["delete", "read", "run", "write"],
  traces: ["read"],
  workflows: ["delete", "read", "run", "write"],
};

/** `system` is an old name of `config`. */
function current(scope: string): string {
  return scope.startsWith("system:") ? `config:${scope.slice("system:".length)}` : scope;
}

/**
 * Whether what is granted satisfies a required scope, for one component when `id` is given. Actions are equal or not: none implies another.
 * A required scope that is not of two parts is compared as it is.
 */
export function satisfies(granted: readonly string[], required: string, id?: string): boolean {
  const wanted = current(required);
  const [resource, action, ...more] = wanted.split(":");
  if (action === undefined || more.length > 0) return granted.some((scope) => current(scope) === wanted);
  const ofAll = `${resource}:*:${action}`;
  const ofOne = id === undefined || id.includes(":") ? undefined : `${resource}:${id}:${action}`;
  return granted.some((scope) => {
    const held = current(scope);
    return held === wanted || held === ofAll || held === ofOne;
  });
}

/** Whether the caller satisfies all of the required scopes. */
export function satisfiesAll(caller: Principal, required: readonly string[], id?: string): boolean {
  return caller.isAdmin || required.every((scope) => satisfies(caller.scopes, scope, id));
}

/** Scopes that a caller could not hand on, because it does not hold them itself. */
export function beyond(caller: Principal, wanted: readonly string[]): readonly string[] {
  if (caller.isAdmin) return [];
  return wanted.filter((scope) => {
    const [resource, id, action, ...more] = current(scope).split(":");
    if (action === undefined || more.length > 0) return !satisfies(caller.scopes, scope);
    return !satisfies(caller.scopes, `${resource}:${action}`, id === "*" ? undefined : id);
  });
}

/** What a scope is made of; undefined for a text that is none of the vocabulary. */
export function partsOf(scope: string): { resource: string; id: string | null; action: string } | undefined {
  const parts = current(scope).split(":");
  const [resource = "", ...rest] = parts;
  const action = rest.at(-1) ?? "";
  const actions = Object.hasOwn(vocabulary, resource) ? vocabulary[resource] : undefined;
  if (parts.length < 2 || parts.length > 3 || !actions?.includes(action)) return undefined;
  const id = parts.length === 3 ? (parts[1] ?? "") : null;
  return id === "" ? undefined : { resource, id, action };
}
