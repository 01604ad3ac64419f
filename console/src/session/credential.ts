/**
 * The credential of the signed-in caller. It stays in memory; the caller may keep it in the tab's session storage. A store outside of React,
 * because requests read it, too.
 */
import { useSyncExternalStore } from "react";

export interface SessionState {
  /** Undefined without a credential: the server may need none. */
  readonly token: string | undefined;
  /** Whether the server rejected a request for its credential since the last sign-in. */
  readonly isRejected: boolean;
  /** Increases with every sign-in and sign-out. */
  readonly generation: number;
}

const key = "troupe-token";
const listeners = new Set<() => void>();
let state: SessionState = { token: readKept(), isRejected: false, generation: 0 };

export function currentToken(): string | undefined {
  return state.token;
}

/** Uses a token from now on. With `keep`, it survives a reload of the tab. */
export function signIn(token: string, { keep }: { readonly keep: boolean }): void {
  if (keep) sessionStorage.setItem(key, token);
  else sessionStorage.removeItem(key);
  change({ token, isRejected: false, generation: state.generation + 1 });
}

export function signOut(): void {
  sessionStorage.removeItem(key);
  change({ token: undefined, isRejected: true, generation: state.generation + 1 });
}

/** Records that the server rejected a token. A token that was replaced meanwhile does not count. */
export function rejectToken(token: string | undefined): void {
  if (token === state.token && !state.isRejected) change({ ...state, isRejected: true });
}

/** Resolves with the token once the caller is signed in. @throws the reason of the signal */
export async function nextToken(signal: AbortSignal): Promise<string | undefined> {
  while (state.isRejected) {
    await new Promise<void>((resolve, reject) => {
      const stop = subscribe(() => settle(resolve));
      const abort = (): void => settle(() => reject(signal.reason));
      const settle = (then: () => void): void => {
        stop();
        signal.removeEventListener("abort", abort);
        then();
      };
      signal.addEventListener("abort", abort);
      if (signal.aborted) abort();
    });
  }
  return state.token;
}

export function useSession(): SessionState {
  return useSyncExternalStore(subscribe, () => state);
}

function change(next: SessionState): void {
  state = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function readKept(): string | undefined {
  return sessionStorage.getItem(key) ?? undefined;
}
