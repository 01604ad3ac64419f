import { Group, Progress, SimpleGrid, Skeleton, Stack, Text } from "@mantine/core";
import { IconGauge } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Empty } from "../../components/empty.tsx";
import { ErrorPanel } from "../../components/error-panel.tsx";
import { FilterInput } from "../../components/filter-input.tsx";
import { Section } from "../../components/section.tsx";
import { formatCost, Time } from "../../components/values.tsx";
import { useMay } from "../../session/me.ts";
import { limitsQuery } from "./queries.ts";
import type { UsageSearch } from "./search.ts";
import classes from "./usage.module.css";

interface LimitsProps {
  readonly search: UsageSearch;
  readonly onSearch: (search: UsageSearch) => void;
}

const metricNames = {
  tokens: "tokens",
  cost: "cost",
  model_requests: "model requests",
  tool_calls: "tool calls",
  duration: "duration",
} as const;
const exact = new Intl.NumberFormat("en");

/** The limits per day and per session with their use, those closest to their end first. */
export function Limits({ search, onSearch }: LimitsProps): ReactNode {
  const may = useMay();
  const { data, error, refetch } = useQuery(limitsQuery(search));
  return (
    <Section
      title="Limits"
      actions={
        <Group gap="xs" align="flex-end">
          <FilterInput
            aria-label="Limits of the user"
            placeholder="User: you"
            size="xs"
            value={search.user}
            onChange={(user) => onSearch({ user })}
            w={150}
          />
          <FilterInput
            aria-label="Limits of the session"
            placeholder="Session: none"
            size="xs"
            value={search.session}
            onChange={(session) => onSearch({ session })}
            w={150}
          />
        </Group>
      }
    >
      {error && <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton height={88} radius="md" />}
      {!error && data?.limits.length === 0 && (
        <Empty
          icon={IconGauge}
          title="No limits apply"
          command={"definePlatform({ limits: { perDay: { cost: 100 }, user: { perDay: { cost: 5 } } } })"}
        >
          Limits bound what runs use in a session or on a day: tokens, cost, model requests and tool calls.
        </Empty>
      )}
      {!error && data && data.limits.length > 0 && (
        <>
          <SimpleGrid cols={{ base: 1, md: 2 }} spacing="sm">
            {data.limits.map((limit) => (
              <LimitBar key={`${limit.scope}/${limit.id}/${limit.period}/${limit.metric}`} limit={limit} />
            ))}
          </SimpleGrid>
          <Text size="xs" c="dimmed">
            Limits per day begin again <Time value={data.reset_at} />.{" "}
            {may("GET /traces") && "A run that reaches a limit ends or pauses."}
          </Text>
        </>
      )}
    </Section>
  );
}

type Limit = NonNullable<Awaited<ReturnType<NonNullable<ReturnType<typeof limitsQuery>["queryFn"]>>>>["limits"][number];

function LimitBar({ limit }: { readonly limit: Limit }): ReactNode {
  const { scope, id, period, metric, used, allowed } = limit;
  const share = allowed === 0 ? 1 : used / allowed;
  const percent = Math.floor(share * 100);
  const title = `${metricNames[metric]} of ${scope === "platform" ? "the platform" : `${scope} ${id ?? ""}`.trim()} per ${period}`;
  return (
    <div className={classes.limit}>
      <Stack gap={6}>
        <Group justify="space-between" gap="xs">
          <Text size="sm" fw={500}>
            {title.charAt(0).toUpperCase() + title.slice(1)}
          </Text>
          <Text size="sm">{share >= 1 ? "reached" : `${percent} %`}</Text>
        </Group>
        <Progress
          value={Math.min(100, share * 100)}
          color={share >= 1 ? "red" : share >= 0.8 ? "yellow" : "indigo"}
          aria-label={title}
        />
        <Text size="xs" c="dimmed">
          {amount(metric, used)} of {amount(metric, allowed)}
        </Text>
      </Stack>
    </div>
  );
}

function amount(metric: Limit["metric"], value: number): string {
  return metric === "cost" ? formatCost(value) : exact.format(value);
}
