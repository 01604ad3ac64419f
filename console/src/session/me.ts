/** Who is signed in, and what the caller may do. */
import { queryOptions, useQuery } from "@tanstack/react-query";
import { api, dataOf, type Schema } from "../api/client.ts";

export type Me = Schema<"MeResponse">;

/** A method and a path of the interface, such as `GET /sessions`. */
export type Permission = `${"GET" | "POST" | "PATCH" | "PUT" | "DELETE"} /${string}`;

export const meQuery = queryOptions({
  queryKey: ["me"],
  queryFn: ({ signal }) => dataOf(api.GET("/me", { signal })),
  staleTime: 60_000,
});

/** What a client may know before it signs in. */
export const infoQuery = queryOptions({
  queryKey: ["info"],
  queryFn: ({ signal }) => dataOf(api.GET("/info", { signal })),
  staleTime: Number.POSITIVE_INFINITY,
});

/** Returns a function that checks whether the caller may use a route, for one component if `componentId` is given. */
export function useMay(): (permission: Permission, componentId?: string) => boolean {
  const { data } = useQuery(meQuery);
  return (permission, componentId) => data !== undefined && mayUse(data, permission, componentId);
}

export function mayUse(
  { permissions }: Pick<Me, "permissions">,
  permission: Permission,
  componentId?: string,
): boolean {
  const found = permissions.find(({ method, path }) => `${method} ${path}` === permission);
  if (!found) return false;
  return !found.components || componentId === undefined || found.components.includes(componentId);
}
