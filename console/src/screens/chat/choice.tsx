import { Badge, Card, Group, SimpleGrid, Skeleton, Stack, Text } from "@mantine/core";
import { IconMessageCircle } from "@tabler/icons-react";
import { useQueries } from "@tanstack/react-query";
import { createLazyRoute, Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import classes from "../../components/components.module.css";
import { Empty } from "../../components/empty.tsx";
import { ErrorPanel } from "../../components/error-panel.tsx";
import { Page } from "../../components/page.tsx";
import { type Permission, useMay } from "../../session/me.ts";
import { type Kind, kinds } from "./followed-run.ts";
import { componentsQuery } from "./queries.ts";

export const Route = createLazyRoute("/chat")({ component: Choice });

const needs: Readonly<Record<Kind, Permission>> = {
  agent: "GET /agents",
  team: "GET /teams",
  workflow: "GET /workflows",
};
const colors = { agent: "indigo", team: "teal", workflow: "grape" } as const;

/** The choice of a component to talk to. */
function Choice(): ReactNode {
  const may = useMay();
  const found = useQueries({ queries: kinds.map((kind) => ({ ...componentsQuery(kind), enabled: may(needs[kind]) })) });
  const failed = found.find(({ error }) => error !== null);
  const isLoading = found.some((one) => one.isLoading);
  const components = found.flatMap(({ data }) => data ?? []);
  return (
    <Page title="Chat" description="Choose an agent, a team or a workflow.">
      <Stack gap="md">
        {failed?.error && <ErrorPanel error={failed.error} onRetry={() => void failed.refetch()} />}
        {!isLoading && !failed && components.length === 0 && (
          <Empty icon={IconMessageCircle} title="Nobody to talk to" command="npx troupe start app.ts">
            The platform hosts nothing that you may see. Give definePlatform agents, teams or workflows, and start it
            again.
          </Empty>
        )}
        <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
          {isLoading && components.length === 0
            ? ["1", "2", "3"].map((key) => <Skeleton key={key} height={92} radius="md" />)
            : components.map(({ kind, id, name, description }) => (
                <Card key={`${kind}/${id}`} withBorder padding="md" className={classes.cardWithLink}>
                  <Group justify="space-between" wrap="nowrap" mb={4}>
                    <Link to="/chat/$kind/$id" params={{ kind, id }} className={classes.cardLink}>
                      {name}
                    </Link>
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
              ))}
        </SimpleGrid>
      </Stack>
    </Page>
  );
}
