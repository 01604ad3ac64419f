/** Sources of keys, and the choice of the keys that may verify a token. */
import type { VerificationKey } from "./keys.ts";

/** Information about the key in a token's header. */
export interface KeyHint {
  readonly kid: string | undefined;
  readonly algorithm: string;
}

/** Keys that may change while the server runs. */
export interface KeySource {
  /** Display name: the file or URL. */
  readonly title: string;
  /** Returns the known keys that may have signed a token. */
  candidates(hint: KeyHint): readonly VerificationKey[];
  /**
   * Reads the keys again after a token could not be verified with the known ones. Returns true if they have changed. Ignores
   * a read that started before the call. Never rejects.
   */
  refresh(hint: KeyHint): Promise<boolean>;
  /** Resolves when the read in progress ends; undefined if there is none. */
  readonly pendingRead: Promise<unknown> | undefined;
  /** Re-checks the keys from time to time, so that removed keys are dropped. */
  watch(): void;
  /** Whether it has any keys. */
  readonly isEmpty: boolean;
  /** Registers a listener for changes of the keys. */
  onChange(listener: () => void): void;
}
