/** Scopes: `<resource>:<action>`; for one component `<resource>:<id>:<action>`; for all components `<resource>:*:<action>`. */
import type { Principal } from "../model/principal.ts";

/** The default scope that permits everything. */
export const defaultAdminScope = "agent_os:admin";

/** Resources with their actions. */
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
  webhooks: ["read", "write"],
  workflows: ["delete", "read", "run", "write"],
};

/** Replaces `system`, a former name of `config`. */
function withCurrentName(scope: string): string {
  return scope.startsWith("system:") ? `config:${scope.slice("system:".length)}` : scope;
}

/**
 * Whether granted scopes satisfy a required scope, for one component if `id` is given. An action never includes another action. A required scope that
 * does not have two parts is compared literally.
 */
export function satisfies(granted: readonly string[], required: string, id?: string): boolean {
  const wanted = withCurrentName(required);
  const [resource, action, ...more] = wanted.split(":");
  if (action === undefined || more.length > 0) return granted.some((scope) => withCurrentName(scope) === wanted);
  const ofAll = `${resource}:*:${action}`;
  const ofOne = id === undefined || id.includes(":") ? undefined : `${resource}:${id}:${action}`;
  return granted.some((scope) => {
    const held = withCurrentName(scope);
    return held === wanted || held === ofAll || held === ofOne;
  });
}

/** The scope for one component only; the scope itself if it cannot be narrowed. */
export function narrowScope(scope: string, id: string | undefined): string {
  const [resource, action, ...more] = withCurrentName(scope).split(":");
  const isWide = action !== undefined && more.length === 0;
  return !isWide || id === undefined || id.includes(":") ? scope : `${resource}:${id}:${action}`;
}

/** Whether the caller satisfies all required scopes. */
export function satisfiesAll(caller: Principal, required: readonly string[], id?: string): boolean {
  return caller.isAdmin || required.every((scope) => satisfies(caller.scopes, scope, id));
}

/** Returns the scopes that a caller cannot grant, because it does not hold them. */
export function unheldScopes(caller: Principal, wanted: readonly string[]): readonly string[] {
  if (caller.isAdmin) return [];
  return wanted.filter((scope) => {
    const [resource, id, action, ...more] = withCurrentName(scope).split(":");
    if (action === undefined || more.length > 0) return !satisfies(caller.scopes, scope);
    return !satisfies(caller.scopes, `${resource}:${action}`, id === "*" ? undefined : id);
  });
}

/** Returns the parts of a scope; undefined for a text outside the vocabulary. */
export function parseScope(scope: string): { resource: string; id: string | null; action: string } | undefined {
  const parts = withCurrentName(scope).split(":");
  const [resource = "", ...rest] = parts;
  const action = rest.at(-1) ?? "";
  const actions = Object.hasOwn(vocabulary, resource) ? vocabulary[resource] : undefined;
  if (parts.length < 2 || parts.length > 3 || !actions?.includes(action)) return undefined;
  const id = parts.length === 3 ? (parts[1] ?? "") : null;
  return id === "" ? undefined : { resource, id, action };
}
