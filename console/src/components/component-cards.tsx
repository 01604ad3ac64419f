/** The hosted components as cards, each with a link to its chat. */
import { Badge, Card, Group, SimpleGrid, Skeleton, Stack, Text } from "@mantine/core";
import type { Icon } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { type Component, useComponents } from "../api/components.ts";
import classes from "./components.module.css";
import { Empty } from "./empty.tsx";
import { ErrorPanel } from "./error-panel.tsx";

interface ComponentCardsProps {
  /** Icon and title of an empty platform. */
  readonly emptyIcon: Icon;
  readonly emptyTitle: string;
}

export function ComponentCards({ emptyIcon, emptyTitle }: ComponentCardsProps): ReactNode {
  const { components, isLoading, failed } = useComponents();
  return (
    <Stack gap="md">
      {failed && <ErrorPanel error={failed.error} onRetry={() => void failed.refetch()} />}
      {!isLoading && !failed && components.length === 0 && (
        <Empty icon={emptyIcon} title={emptyTitle} command="npx troupe start app.ts">
          The platform hosts nothing that you may see. Give definePlatform agents, teams or workflows, and start it
          again.
        </Empty>
      )}
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
        {isLoading && components.length === 0
          ? ["1", "2", "3"].map((key) => <Skeleton key={key} height={92} radius="md" />)
          : components.map((component) => (
              <ComponentCard key={`${component.kind}/${component.id}`} component={component} />
            ))}
      </SimpleGrid>
    </Stack>
  );
}

const colors = { agent: "indigo", team: "teal", workflow: "grape" } as const;

function ComponentCard({ component: { kind, id, name, description } }: { readonly component: Component }): ReactNode {
  return (
    <Card withBorder padding="md" className={classes.cardWithLink}>
      <Group justify="space-between" wrap="nowrap" mb={4}>
        <Link to="/chat/$kind/$id" params={{ kind, id }} className={classes.cardLink} title={`Chat with ${name}`}>
          {name}
        </Link>
        <Badge variant="light" color={colors[kind]} radius="sm" tt="none" flex="0 0 auto">
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
