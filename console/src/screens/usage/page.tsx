import { Button, Group, SegmentedControl, Stack, Text } from "@mantine/core";
import { IconRefresh } from "@tabler/icons-react";
import { createLazyRoute } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Page } from "../../components/page.tsx";
import { useMay } from "../../session/me.ts";
import { Days } from "./days.tsx";
import { Durations } from "./durations.tsx";
import { Limits } from "./limits.tsx";
import { useRefresh } from "./queries.ts";
import type { periods, UsageSearch } from "./search.ts";

export const Route = createLazyRoute("/usage")({ component: Usage });

const periodChoices: { readonly value: keyof typeof periods; readonly label: string }[] = [
  { value: "1d", label: "Today" },
  { value: "7d", label: "7 days" },
  { value: "30d", label: "30 days" },
  { value: "90d", label: "90 days" },
];

function Usage(): ReactNode {
  const search = Route.useSearch();
  const navigate = Route.useNavigate();
  const may = useMay();
  const refresh = useRefresh();
  const change = (next: UsageSearch): void =>
    void navigate({ search: (before) => ({ ...before, ...next }), replace: true });
  return (
    <Page
      title="Usage"
      description="What runs cost, how long they take, and how close the limits are."
      actions={
        may("POST /metrics/refresh") && (
          <Button
            variant="default"
            leftSection={<IconRefresh size={14} aria-hidden />}
            onClick={() => refresh.mutate()}
            loading={refresh.isPending}
          >
            Count ended runs now
          </Button>
        )
      }
    >
      <Group gap="sm">
        <SegmentedControl
          aria-label="Period"
          data={periodChoices}
          value={search.period ?? "7d"}
          onChange={(period) => change({ period: period as UsageSearch["period"] })}
        />
        <Text size="sm" c="dimmed">
          Days are in UTC.
        </Text>
      </Group>
      <Stack gap="xl">
        {may("GET /metrics") && <Days search={search} onSearch={change} />}
        {may("GET /traces/stats") && <Durations search={search} onSearch={change} />}
        {may("GET /usage") && <Limits search={search} onSearch={change} />}
      </Stack>
    </Page>
  );
}
