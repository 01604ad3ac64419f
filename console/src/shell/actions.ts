/** Actions of the command palette. The shell adds its own; a screen adds its actions while it is open. */
import { useEffect, useSyncExternalStore } from "react";

export interface Action {
  readonly id: string;
  readonly label: string;
  /** More words that find the action. */
  readonly keywords?: readonly string[];
  readonly run: () => void;
}

const registered = new Map<symbol, readonly Action[]>();
const listeners = new Set<() => void>();
let snapshot: readonly Action[] = [];

/** Adds actions to the command palette while the component is mounted. Keep the list stable with `useMemo`. */
export function useActions(actions: readonly Action[]): void {
  useEffect(() => {
    const key = Symbol("actions");
    registered.set(key, actions);
    publish();
    return () => {
      registered.delete(key);
      publish();
    };
  }, [actions]);
}

export function useRegisteredActions(): readonly Action[] {
  return useSyncExternalStore(subscribe, () => snapshot);
}

function publish(): void {
  snapshot = [...registered.values()].flat();
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
