/** What stands in the engine for a component that another server executes: it has an identity, and nothing that is executed here. */
import type { Component, Hosted } from "../../define/platform.ts";
import { isRemote, type Remote } from "../../define/remote.ts";
import type { Member } from "../../define/team.ts";
import type { Executor } from "../../define/workflow/types.ts";
import type { UpstreamEvents } from "./upstream.ts";

/** A start that the other server has accepted. */
export interface OpenedRemote {
  readonly events: UpstreamEvents;
  /** Ends the connection, by which the events come, and nothing else. */
  readonly connection: AbortController;
}

/** What a stand-in stands for. */
export interface RemoteRun {
  readonly remote: Remote;
  /** Of a run that this process has just started at the request of its caller; members, steps and what is taken up have none. */
  readonly opened?: OpenedRemote | undefined;
}

const known = new WeakMap<Hosted, RemoteRun>();

/** Makes one, for one run. */
export function standIn(run: RemoteRun): Hosted {
  const { kind, id, name, description, role, timeout, target } = run.remote;
  const nothing = { agent: {}, team: { members: [], mode: "coordinate" }, workflow: { steps: [] } }[kind];
  const model = `remote:${target.url}/${target.remoteId}`;
  // Sessions are the other server's: it decides what waits for what.
  const common = { kind, id, name, description, role, model, tools: [], timeout, sessionPolicy: "parallel" };
  const component = Object.freeze({ ...common, ...nothing }) as unknown as Hosted;
  known.set(component, run);
  return component;
}

const ofParts = new WeakMap<Remote, Hosted>();

/** An executor as the engine runs it under another run. */
export function partOf(executor: Member): Component;
export function partOf(executor: Executor | Remote): Hosted;
export function partOf(executor: Executor | Remote): Hosted {
  if (!isRemote(executor)) return executor;
  const known = ofParts.get(executor);
  if (known) return known;
  const made = standIn({ remote: executor });
  ofParts.set(executor, made);
  return made;
}

/** What a component stands for; undefined for one that is executed here. */
export function remoteOf(component: Hosted): RemoteRun | undefined {
  return known.get(component);
}

/** Lets go of a start whose run was not recorded here. */
export function abandon(component: Hosted | undefined): void {
  if (component) remoteOf(component)?.opened?.connection.abort();
}
