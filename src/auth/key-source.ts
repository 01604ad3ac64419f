/** Where keys come from, and which of them a token asks for. */
import type { VerificationKey } from "./keys.ts";

/** What a token's header says of its key. */
export interface KeyHint {
  readonly kid: string | undefined;
  readonly algorithm: string;
}

/** Keys that may change while the server runs. */
export interface KeySource {
  /** For people: the file or address. */
  readonly title: string;
  /** Keys that may have signed a token, as known now. */
  candidates(hint: KeyHint): readonly VerificationKey[];
  /**
   * Looks for newer keys because a token was not verified by those known; true when they have changed. A look that began before the call
   * does not count. Never rejects.
   */
  refresh(hint: KeyHint): Promise<boolean>;
  /** Resolves when the look that is under way has ended; undefined when there is none. */
  readonly underWay: Promise<unknown> | undefined;
  /** Looks from time to time whether the keys are still the same, so that removed ones are forgotten. */
  watch(): void;
  /** Whether it has any keys. */
  readonly isEmpty: boolean;
  /** Calls back when the keys have changed. */
  onChange(listener: () => void): void;
}
