import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { api, dataOf, type Schema } from "../../api/client.ts";
import { notifyDone } from "../../api/queries.ts";
import type { AccessSearch } from "./search.ts";

export type Account = Schema<"ServiceAccountResponse">;
export type NewAccount = Schema<"ServiceAccountCreate">;

const pageSize = 25;

export function accountsQuery({ show, sort = "created_at", order, page = 1 }: AccessSearch) {
  const query = {
    ...{ include_revoked: show === "all", sort_by: sort as string, sort_order: order ?? ("desc" as const) },
    ...{ limit: pageSize, page },
  };
  return queryOptions({
    queryKey: ["service-accounts", query],
    queryFn: ({ signal }) => dataOf(api.GET("/service-accounts", { params: { query }, signal })),
    placeholderData: keepPreviousData,
  });
}

/** Creates an account; its answer is the only one with the token. */
export function useCreateAccount() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: NewAccount) => dataOf(api.POST("/service-accounts", { body })),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["service-accounts"] }),
    // The token does not stay in the memory of the queries.
    gcTime: 0,
  });
}

export function useRevokeAccount() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ id }: Account) =>
      api.DELETE("/service-accounts/{service_account_id}", { params: { path: { service_account_id: id } } }),
    onSuccess: (_, { name }) => {
      notifyDone(`The service account ${name} is revoked.`);
      return queries.invalidateQueries({ queryKey: ["service-accounts"] });
    },
  });
}

export type Connection = Awaited<ReturnType<typeof readConnections>>[number];

/** @param user for callers without a user of their own */
function readConnections(user: string | undefined, signal: AbortSignal) {
  return dataOf(api.GET("/connections", { params: { query: ofUser(user) }, signal }));
}

export function connectionsQuery(user: string | undefined) {
  return queryOptions({
    queryKey: ["connections", user],
    queryFn: ({ signal }) => readConnections(user, signal),
    // The user connects an account in another tab.
    refetchInterval: 5_000,
  });
}

/** Makes a link that connects an account. */
export function useConnect(user: string | undefined) {
  return useMutation({
    mutationFn: async ({ provider, title }: Connection) => {
      const request = api.POST("/connections/{provider}/links", { params: { path: { provider } }, body: ofUser(user) });
      return { title, url: (await dataOf(request)).url };
    },
  });
}

export function useDisconnect(user: string | undefined) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ provider }: Connection) =>
      api.DELETE("/connections/{provider}", { params: { path: { provider }, query: ofUser(user) } }),
    onSuccess: (_, { title }) => {
      notifyDone(`${title} is disconnected.`);
      return queries.invalidateQueries({ queryKey: ["connections"] });
    },
  });
}

function ofUser(user: string | undefined): { readonly user_id?: string } {
  return user === undefined ? {} : { user_id: user };
}
