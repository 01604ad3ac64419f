import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import { api, dataOf, type Schema } from "../../api/client.ts";
import { nextCursor } from "../../api/next-page.ts";
import { notifyDone } from "../../api/queries.ts";
import type { WebhooksSearch } from "./search.ts";

export type Delivery = Schema<"WebhookDelivery">;

interface DeliveryPage {
  readonly deliveries: readonly Delivery[];
  /** Where the next page begins; undefined on the last page. */
  readonly next: string | undefined;
}

const pageSize = 25;

/** Milliseconds after which the first page is read again, while it is the only one. */
const liveInterval = 5_000;

export function deliveriesQuery({ state, event, webhook, run, schedule }: WebhooksSearch) {
  const filters = {
    ...(state === undefined ? {} : { state }),
    ...(event === undefined ? {} : { event }),
    ...(webhook === undefined ? {} : { webhook_id: webhook }),
    ...(run === undefined ? {} : { run_id: run }),
    ...(schedule === undefined ? {} : { schedule_id: schedule }),
  };
  return infiniteQueryOptions({
    queryKey: ["deliveries", "list", filters],
    queryFn: async ({ pageParam: cursor, signal }): Promise<DeliveryPage> => {
      const query = { ...filters, limit: pageSize, ...(cursor === undefined ? {} : { cursor }) };
      const { data = [], response } = await api.GET("/webhooks/deliveries", { params: { query }, signal });
      return { deliveries: data, next: nextCursor(response) };
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) => ((data?.pages.length ?? 0) > 1 ? false : liveInterval),
  });
}

export function deliveryQuery(id: string) {
  return queryOptions({
    queryKey: ["deliveries", "one", id],
    queryFn: ({ signal }) =>
      dataOf(api.GET("/webhooks/deliveries/{delivery_id}", { params: { path: { delivery_id: id } }, signal })),
    refetchInterval: ({ state: { data } }) => (data?.state === "pending" ? 2_000 : false),
  });
}

/** Sends deliveries again, one after the other. */
export function useReplay() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (deliveries: readonly Delivery[]) => {
      for (const { id } of deliveries)
        await api.POST("/webhooks/deliveries/{delivery_id}/replay", { params: { path: { delivery_id: id } } });
    },
    onSuccess: (_, { length }) =>
      notifyDone(
        length === 1 ? "The server sends the delivery again." : `The server sends ${length} deliveries again.`,
      ),
    onSettled: () => queries.invalidateQueries({ queryKey: ["deliveries"] }),
  });
}
