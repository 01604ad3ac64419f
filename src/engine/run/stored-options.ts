import { open, outsider, type Principal } from "../../model/principal.ts";
import type { RunOptions } from "../../model/run/record.ts";
import type { Limits } from "../../model/usage/limits.ts";

/** A caller as rows store it. Version 0.1 stored `open`, `operator` and `outsider` as `anonymous`. */
type StoredCaller = Principal | (Omit<Principal, "kind"> & { readonly kind: "anonymous" });

/** A start's options as its row stores them, with its caller. */
export interface StoredOptions extends RunOptions {
  readonly caller?: StoredCaller;
  /** Limits of the run's user, as of its start. */
  readonly userLimits?: readonly Limits[];
  /** The config of the draft that the run tries: the draft can change. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Names of the dependencies that come from the caller's credential. */
  readonly claimed?: readonly string[];
}

/** Returns the caller of a stored run. A row without a caller was written while authorization was off. */
export function storedCaller(caller: StoredCaller | undefined): Principal {
  if (!caller) return open;
  const { kind, ...who } = caller;
  return { ...who, kind: kind !== "anonymous" ? kind : who.isAdmin ? open.kind : outsider.kind };
}
