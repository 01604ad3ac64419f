/** How many runs wait for a person, for the navigation. */
import { Badge, VisuallyHidden } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { api, dataOf } from "../../api/client.ts";
import { useMay } from "../../session/me.ts";

const pollInterval = 30_000;
const maxCounted = 100;

export function WaitingCount(): ReactNode {
  const may = useMay();
  const seesRuns = may("GET /runs");
  const { data: count = 0 } = useQuery({
    queryKey: ["waiting-count", seesRuns],
    queryFn: async ({ signal }) => {
      if (!seesRuns) return (await dataOf(api.GET("/approvals/count", { signal }))).count;
      const query = { status: ["PAUSED"] as ["PAUSED"], limit: maxCounted };
      return (await dataOf(api.GET("/runs", { params: { query }, signal }))).length;
    },
    enabled: seesRuns || may("GET /approvals/count"),
    refetchInterval: pollInterval,
    retry: false,
  });
  if (count === 0) return null;
  return (
    <Badge size="sm" color="yellow" variant="light" radius="sm">
      {count >= maxCounted ? `${maxCounted - 1}+` : count}
      <VisuallyHidden> waiting</VisuallyHidden>
    </Badge>
  );
}
