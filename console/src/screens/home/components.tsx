import { Badge, Card, Group, SimpleGrid, Skeleton, Stack, Text, Title } from "@mantine/core";
import { IconStack2 } from "@tabler/icons-react";
import { queryOptions, useQueries } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { api, dataOf } from "../../api/client.ts";
import { Empty } from "../../components/empty.tsx";
import { ErrorPanel } from "../../components/error-panel.tsx";
import { type Permission, useMay } from "../../session/me.ts";

interface Component {
  readonly kind: "agent" | "team" | "workflow";
  readonly id: string;
  readonly name: string;
  readonly description: string | undefined;
}

interface Listed {
  readonly id?: string | null;
  readonly name?: string | null;
  readonly description?: string | null;
}

const lists = [
  { kind: "agent", needs: "GET /agents", read: (signal: AbortSignal) => dataOf(api.GET("/agents", { signal })) },
  { kind: "team", needs: "GET /teams", read: (signal: AbortSignal) => dataOf(api.GET("/teams", { signal })) },
  {
    kind: "workflow",
    needs: "GET /workflows",
    read: (signal: AbortSignal) => dataOf(api.GET("/workflows", { signal })),
  },
] as const satisfies readonly { readonly kind: string; readonly needs: Permission; readonly read: unknown }[];

/** Lists the hosted components that the caller may see. */
export function Components(): ReactNode {
  const may = useMay();
  const found = useQueries({
    queries: lists.map(({ kind, needs, read }) =>
      queryOptions({
        queryKey: ["components", kind],
        queryFn: async ({ signal }) => ((await read(signal)) as readonly Listed[]).map((one) => toComponent(kind, one)),
        enabled: may(needs),
        staleTime: 60_000,
      }),
    ),
  });
  const failed = found.find(({ error }) => error !== null);
  const isLoading = found.some(({ isLoading: loading }) => loading);
  const components = found.flatMap(({ data }) => data ?? []);
  return (
    <Stack gap="sm" component="section" aria-labelledby="components">
      <Title order={2} size="h4" id="components">
        Components
      </Title>
      {failed?.error && <ErrorPanel error={failed.error} onRetry={() => void failed.refetch()} />}
      {!isLoading && components.length === 0 && !failed && (
        <Empty icon={IconStack2} title="No components" command="npx troupe start app.ts">
          The platform hosts nothing that you may see. Give definePlatform agents, teams or workflows, and start it
          again.
        </Empty>
      )}
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
        {isLoading && components.length === 0
          ? ["1", "2", "3"].map((key) => <Skeleton key={key} height={92} radius="md" />)
          : components.map((one) => <ComponentCard key={`${one.kind}/${one.id}`} component={one} />)}
      </SimpleGrid>
    </Stack>
  );
}

function ComponentCard({ component: { kind, id, name, description } }: { readonly component: Component }): ReactNode {
  return (
    <Card withBorder padding="md">
      <Group justify="space-between" wrap="nowrap" mb={4}>
        <Text fw={600} truncate>
          {name}
        </Text>
        <Badge variant="light" color={colors[kind]} radius="sm" tt="none">
          {kind}
        </Badge>
      </Group>
      <Text size="xs" c="dimmed" ff="monospace">
        {id}
      </Text>
      {description && (
        <Text size="sm" mt="xs" lineClamp={2}>
          {description}
        </Text>
      )}
    </Card>
  );
}

const colors = { agent: "indigo", team: "teal", workflow: "grape" } as const;

function toComponent(kind: Component["kind"], { id, name, description }: Listed): Component {
  return { kind, id: id ?? "", name: name ?? id ?? "", description: description ?? undefined };
}
