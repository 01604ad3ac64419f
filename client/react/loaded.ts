/** Data that a hook loads after it is mounted. */
import { useCallback, useEffect, useMemo, useRef, useSyncExternalStore } from "react";
import { Store } from "./store.ts";

/** Data of the server, or the reason why there is none. */
export interface Loaded<Value> {
  /** Undefined until it is loaded. */
  readonly value: Value | undefined;
  readonly isLoading: boolean;
  /** The reason why the last request failed. */
  readonly error: Error | undefined;
}

const loading: Loaded<never> = Object.freeze({ value: undefined, isLoading: true, error: undefined });

/** Loads data after mounting, whenever `load` changes, and on `refresh`. Answers that arrive after a later request are ignored. */
export function useLoaded<Value>(
  load: () => Promise<Value>,
): Loaded<Value> & { readonly refresh: () => Promise<void> } {
  const store = useMemo(() => new Store<Loaded<Value>>(loading), [load]);
  const number = useRef(0);
  const refresh = useCallback(async () => {
    const own = ++number.current;
    try {
      const value = await load();
      if (own === number.current) store.set({ value, isLoading: false, error: undefined });
    } catch (error) {
      if (own !== number.current) return;
      const shown = error instanceof Error ? error : new Error(String(error));
      store.set({ value: store.value.value, isLoading: false, error: shown });
    }
  }, [load, store]);
  useEffect(() => {
    void refresh();
    return () => {
      number.current++;
    };
  }, [refresh]);
  const state = useSyncExternalStore(store.subscribe, store.get, serverState);
  return { ...state, refresh };
}

function serverState(): Loaded<never> {
  return loading;
}
