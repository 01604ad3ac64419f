/** `agent.run()`, `team.run()` and `workflow.run()`: run a definition in this process, on a platform that the package creates. */
import type { Run, StartOptions } from "../../client/index.ts";
import { InvariantError } from "../errors.ts";
import type { ComponentKind } from "../model/run/run.ts";
import type { ComponentTypes } from "./component-types.ts";

/** A component that can be run without a server. */
export interface Runnable<Kind extends ComponentKind, Types extends ComponentTypes> {
  /**
   * Runs the component in this process, for scripts and tests. It uses the same engine, events and records as a server, with an in-memory
   * database. No port is opened, and all data is lost when the process ends. Runs of one component with the same `sessionId` share the
   * session.
   *
   * @param input the message; for a workflow with an `input` schema, also a value of that schema
   * @returns the run, once it is accepted: iterate it for its events, or wait for its `result()`
   * @throws RequestError for a start that a server would reject
   * @throws ConfigurationError for a model that cannot be used
   */
  run(input: Types["input"], options?: StartOptions<Types>): Promise<Run<Kind, Types["content"]>>;
}

/** Starts a run of a component in this process. */
export type StartInProcess = (component: Hostable, input: unknown, options: StartOptions) => Promise<Run>;

interface Hostable {
  readonly kind: ComponentKind;
  readonly id: string;
}

let startInProcess: StartInProcess | undefined;

/**
 * Sets the function that runs components in this process. The platform layer sets it when the package is loaded, because this layer must
 * not import it.
 */
export function setStartInProcess(start: StartInProcess): void {
  startInProcess = start;
}

/** Adds the method `run` to a component. The method is not enumerable, so that a definition can be spread into another one. */
export function runnable<Component extends Hostable>(
  component: Component,
): Component & Runnable<Component["kind"], ComponentTypes> {
  const run = (input: unknown, options: StartOptions = {}): Promise<Run> => {
    if (!startInProcess)
      throw new InvariantError("Import the package by its name: only that loads what runs components.");
    return startInProcess(component, input, options);
  };
  Object.defineProperty(component, "run", { value: run, enumerable: false });
  return Object.freeze(component) as Component & Runnable<Component["kind"], ComponentTypes>;
}
