import type { Principal } from "../../model/principal.ts";
import type { RunOptions } from "../../model/record.ts";

/** A start's options as its row stores them, with its caller. */
export interface StoredOptions extends RunOptions {
  readonly caller?: Principal;
  /** Names of the dependencies that come from the caller's credential. */
  readonly claimed?: readonly string[];
}
