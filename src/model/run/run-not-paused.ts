import { TroupeError } from "../../errors.ts";
import type { RunStatus } from "./run.ts";

const states: Readonly<Record<RunStatus, string>> = {
  PENDING: "is already running",
  RUNNING: "is already running",
  PAUSED: "is not paused",
  COMPLETED: "is already completed",
  CANCELLED: "is already cancelled",
  ERROR: "has errored",
};

/** Answers were sent to a run that is not paused. Interfaces may describe the run's state in their own words. */
export class RunNotPaused extends TroupeError {
  readonly runStatus: RunStatus;

  constructor(runStatus: RunStatus) {
    super("conflict", `run ${states[runStatus]}`);
    this.runStatus = runStatus;
  }
}
