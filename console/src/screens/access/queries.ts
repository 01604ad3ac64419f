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
