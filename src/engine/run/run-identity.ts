/** The run of a scope: its constant data, and the state that earlier attempts left. */
import type { Hosted } from "../../define/platform.ts";
import type { PlacedMessage } from "../../model/run/message.ts";
import type { RunInput, RunOptions } from "../../model/run/record.ts";
import type { Level } from "../limits/level.ts";
import type { MemberScope } from "../loops/contract.ts";

/** The run of a scope. */
export interface RunIdentity<C extends Hosted = Hosted> {
  readonly key: number;
  readonly runId: string;
  readonly parentRunId: string | undefined;
  readonly component: C;
  readonly input: RunInput;
  readonly options: RunOptions;
  /** See `RunScope`. Set for a root run, whose log is a copy of the other server's log; otherwise read from the log. */
  readonly relayedBefore?: number;
  /** The position in a workflow, for the executor of a step and the members under it. */
  readonly step?: Readonly<Record<string, unknown>> | undefined;
  /** Workflows above it. */
  readonly depth?: number | undefined;
  /** Whether the run itself was paused, so that none of its events are void. */
  readonly wasPaused?: boolean | undefined;
  /** The values that it has recorded. */
  readonly marks: ReadonlyMap<string, unknown>;
  /** Stored messages of a run that continues. */
  readonly messages: readonly PlacedMessage[];
  /** Whether it has emitted its start event. Default: true if there are messages. */
  readonly hasBegun?: boolean;
  /** The limits of the runs above it; for a root run, its own. */
  readonly levels: readonly Level[];
  /** How it ended, for a member that has ended in an earlier attempt. */
  readonly earlierEnd?: MemberScope["earlierEnd"];
  /** Index of the event that began the span above it. Default: the root run's event. */
  readonly callPlace?: number;
}
