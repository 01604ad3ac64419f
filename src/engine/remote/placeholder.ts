/** The placeholder in the engine for a component that another server executes: it has an identity, but nothing to execute here. */
import type { Component, Hosted } from "../../define/platform.ts";
import { isRemote, type Remote } from "../../define/remote.ts";
import type { Member } from "../../define/team.ts";
import type { Executor } from "../../define/workflow/types.ts";
import type { UpstreamEvents } from "./upstream.ts";

/** A start that the other server has accepted. */
export interface OpenedRemote {
  readonly events: UpstreamEvents;
  /** Closes the connection that delivers the events; does not affect the run there. */
  readonly connection: AbortController;
}

/** The remote run behind a placeholder. */
export interface RemoteRun {
  readonly remote: Remote;
  /** Set for a run that this process has just started at its caller's request; undefined for members, steps and recovered runs. */
  readonly opened?: OpenedRemote | undefined;
}

const known = new WeakMap<Hosted, RemoteRun>();

/** Creates a placeholder for one run. */
export function placeholderFor(run: RemoteRun): Hosted {
  const { kind, id, name, description, role, timeout, target } = run.remote;
  const nothing = { agent: {}, team: { members: [], mode: "coordinate" }, workflow: { steps: [] } }[kind];
  const model = `remote:${target.url}/${target.remoteId}`;
  // The other server manages its sessions and decides which run waits for which.
  const common = { kind, id, name, description, role, model, tools: [], timeout, sessionPolicy: "parallel" };
  const component = Object.freeze({ ...common, ...nothing }) as unknown as Hosted;
  known.set(component, run);
  return component;
}

const placeholders = new WeakMap<Remote, Hosted>();

/** Converts an executor to the component that the engine runs under another run. */
export function toHosted(executor: Member): Component;
export function toHosted(executor: Executor | Remote): Hosted;
export function toHosted(executor: Executor | Remote): Hosted {
  if (!isRemote(executor)) return executor;
  const known = placeholders.get(executor);
  if (known) return known;
  const made = placeholderFor({ remote: executor });
  placeholders.set(executor, made);
  return made;
}

/** Returns the remote run behind a placeholder; undefined for a component that is executed here. */
export function remoteOf(component: Hosted): RemoteRun | undefined {
  return known.get(component);
}

/** Closes the connection of a start whose run was not recorded here. */
export function closeConnection(component: Hosted | undefined): void {
  if (component) remoteOf(component)?.opened?.connection.abort();
}
