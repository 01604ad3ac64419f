/** `agent.run()` and its like: a definition is run in this process, by the platform that this package brings. */
import type { Run, StartOptions } from "../../client/index.ts";
import { InvariantError } from "../errors.ts";
import type { ComponentKind } from "../model/run.ts";
import type { ComponentTypes } from "./component-types.ts";

/** A component that can be run without a server. */
export interface Runnable<Kind extends ComponentKind, Types extends ComponentTypes> {
  /**
   * Runs it in this process, for scripts and tests: the same engine, events and records as on a server, over a database in memory. Nothing listens,
   * and nothing is kept when the process ends. Runs of one component with one `sessionId` share the session.
   *
   * @param input the message; a workflow with an `input` schema also takes that input
   * @returns the run once it is accepted: iterate it for its events, or wait for its `result()`
   * @throws RequestError for a start that a server would refuse, ConfigurationError for a model that cannot be used
   */
  run(input: Types["input"], options?: StartOptions<Types>): Promise<Run<Kind, Types["content"]>>;
}

/** Starts a run of a component in this process. */
export type StartHere = (component: Hostable, input: unknown, options: StartOptions) => Promise<Run>;

interface Hostable {
  readonly kind: ComponentKind;
  readonly id: string;
}

let startHere: StartHere | undefined;

/** Sets what runs components here. The platform, which knows the parts, sets it when the package is loaded. */
export function setStartHere(start: StartHere): void {
  startHere = start;
}

/** The component with its method `run`, which is not enumerable: a definition can be spread into another one. */
export function runnable<Component extends Hostable>(
  component: Component,
): Component & Runnable<Component["kind"], ComponentTypes> {
  const run = (input: unknown, options: StartOptions = {}): Promise<Run> => {
    if (!startHere) throw new InvariantError("Import the package by its name: only that loads what runs components.");
    return startHere(component, input, options);
  };
  Object.defineProperty(component, "run", { value: run, enumerable: false });
  return Object.freeze(component) as Component & Runnable<Component["kind"], ComponentTypes>;
}
