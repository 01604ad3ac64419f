import { Badge, Card, Group, SimpleGrid, Skeleton, Text } from "@mantine/core";
import { IconStack2 } from "@tabler/icons-react";
import { useQueries } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import classes from "../../components/components.module.css";
import { Empty } from "../../components/empty.tsx";
import { ErrorPanel } from "../../components/error-panel.tsx";
import { Section } from "../../components/section.tsx";
import { useMay } from "../../session/me.ts";
import { type Component, componentQueries } from "./queries.ts";

/** Lists the hosted components that the caller may see. */
export function Components(): ReactNode {
  const may = useMay();
  const found = useQueries({ queries: componentQueries(may) });
  const failed = found.find(({ error }) => error !== null);
  const isLoading = found.some((one) => one.isLoading);
  const components = found.flatMap(({ data }) => data ?? []);
  return (
    <Section title="Components">
      {failed?.error && <ErrorPanel error={failed.error} onRetry={() => void failed.refetch()} />}
      {!isLoading && components.length === 0 && !failed && (
        <Empty icon={IconStack2} title="No components" command="npx troupe start app.ts">
          The platform hosts nothing that you may see. Give definePlatform agents, teams or workflows, and start it
          again.
        </Empty>
      )}
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
        {isLoading && components.length === 0
          ? ["1", "2", "3"].map((key) => <Skeleton key={key} height={104} radius="md" />)
          : components.map((one) => <ComponentCard key={`${one.kind}/${one.id}`} component={one} />)}
      </SimpleGrid>
    </Section>
  );
}

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

const colors = { agent: "indigo", team: "teal", workflow: "grape" } as const;
