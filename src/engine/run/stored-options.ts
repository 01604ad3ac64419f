import type { Principal } from "../../model/principal.ts";
import type { RunOptions } from "../../model/record.ts";

/** What a start stores of its caller beside the options. */
export interface StoredOptions extends RunOptions {
  readonly caller?: Principal;
  /** Names of the dependencies that come from the caller's credential. */
  readonly claimed?: readonly string[];
}
