/** What stands in the engine for a component that another server executes: it has an identity, and nothing that is executed here. */
import type { Hosted } from "../../define/platform.ts";
import type { Remote } from "../../define/remote.ts";
import type { UpstreamEvents } from "./upstream.ts";

/** A start that the other server has accepted. */
export interface OpenedRemote {
  readonly events: UpstreamEvents;
  readonly bearer: string | undefined;
  /** Ends the connection, by which the events come, and nothing else. */
  readonly connection: AbortController;
}

/** What a stand-in stands for. */
export interface RemoteRun {
  readonly remote: Remote;
  /** Of a run that was just started by this process; what is taken up has none. */
  readonly opened?: OpenedRemote | undefined;
}

const known = new WeakMap<Hosted, RemoteRun>();

/** Makes one, for one run. */
export function standIn(run: RemoteRun): Hosted {
  const { kind, id, name, timeout, target } = run.remote;
  const nothing = { agent: {}, team: { members: [], mode: "coordinate" }, workflow: { steps: [] } }[kind];
  const model = `remote:${target.url}/${target.remoteId}`;
  // Sessions are the other server's: it decides what waits for what.
  const common = { kind, id, name, model, tools: [], timeout, sessionPolicy: "parallel" };
  const component = Object.freeze({ ...common, ...nothing }) as unknown as Hosted;
  known.set(component, run);
  return component;
}

/** What a component stands for; undefined for one that is executed here. */
export function remoteOf(component: Hosted): RemoteRun | undefined {
  return known.get(component);
}

/** Lets go of a start whose run was not recorded here. */
export function abandon(component: Hosted | undefined): void {
  if (component) remoteOf(component)?.opened?.connection.abort();
}
