/** How data is read again, and how failed reads are retried. */
import { notifications } from "@mantine/notifications";
import { MutationCache, QueryClient } from "@tanstack/react-query";
import { ApiError, toShownError } from "./errors.ts";

const temporary: ReadonlySet<number> = new Set([0, 429, 502, 503, 504]);
const maxRetries = 5;

export const queries: QueryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (count, error) => count < maxRetries && error instanceof ApiError && temporary.has(error.status),
      retryDelay: (count) => Math.min(1000 * 2 ** count, 15_000),
      // A server in the same network needs no connection to the internet.
      networkMode: "always",
    },
    mutations: { networkMode: "always" },
  },
  mutationCache: new MutationCache({ onError: (error) => notifyError(error) }),
});

/** Shows an error as a notification. Failed mutations do so by themselves. */
export function notifyError(error: unknown): void {
  const { title, message, advice, requestId } = toShownError(error);
  const id = requestId === undefined ? "" : ` Request id: ${requestId}.`;
  notifications.show({ color: "red", title, message: `${message} ${advice}${id}`, autoClose: 12_000 });
}

/** Confirms that an action has succeeded. */
export function notifyDone(message: string): void {
  notifications.show({ message });
}
