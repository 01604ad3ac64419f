import { Button, Group, Stack, Text } from "@mantine/core";
import { IconCalendarClock, IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { createLazyRoute, Link } from "@tanstack/react-router";
import { type ReactNode, useMemo } from "react";
import { serverUrl } from "../../api/places.ts";
import type { Column } from "../../components/data-table.tsx";
import { Empty } from "../../components/empty.tsx";
import { FilterSelect } from "../../components/filter-select.tsx";
import { Filters } from "../../components/filters.tsx";
import { List, numberedPages } from "../../components/list.tsx";
import { Page } from "../../components/page.tsx";
import { Time } from "../../components/values.tsx";
import { filtersOf } from "../../routing/filters.ts";
import { useMay } from "../../session/me.ts";
import { type Abilities, ScheduleMenu, useAbilities } from "./actions.tsx";
import { ScheduleForm } from "./form.tsx";
import { CodeBadge, State, targetOf } from "./parts.tsx";
import { isFromCode, type Schedule, schedulesQuery } from "./queries.ts";
import classes from "./schedules.module.css";

export const Route = createLazyRoute("/schedules")({ component: Schedules });

const stateChoices = [
  { value: "true", label: "enabled" },
  { value: "false", label: "paused" },
] as const;

function Schedules(): ReactNode {
  const search = Route.useSearch();
  const navigate = Route.useNavigate();
  const request = useQuery(schedulesQuery(search));
  const { bind, toPage } = filtersOf(search, (next, { replace }) => {
    void navigate({ search: next, replace });
  });
  const mayCreate = useMay()("POST /schedules");
  const abilities = useAbilities();
  const columns = useMemo(() => columnsFor(abilities), [abilities]);
  const openForm = (create: true | undefined): void => void navigate({ search: (before) => ({ ...before, create }) });
  const createButton = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => openForm(true)}>
      New schedule
    </Button>
  );
  return (
    <Page
      title="Schedules"
      description="Runs and calls at set times. Each tick fires once, whatever number of processes there are."
      actions={mayCreate && createButton}
    >
      <Filters>
        <FilterSelect label="State" placeholder="All states" choices={stateChoices} {...bind("enabled")} />
      </Filters>
      <List
        request={request}
        label="Schedules"
        columns={columns}
        rows={request.data?.data}
        rowKey={({ id }) => id}
        paging={numberedPages(request.data, toPage)}
        empty={
          <Empty
            icon={IconCalendarClock}
            title={search.enabled === undefined ? "No schedules yet" : "No schedule has this state"}
            command={search.enabled === undefined ? example : undefined}
            action={mayCreate && createButton}
          >
            A schedule starts runs at the ticks of a cron expression, in a time zone of your choice.
          </Empty>
        }
      />
      {search.create && mayCreate && (
        <ScheduleForm
          schedule={undefined}
          onClose={() => openForm(undefined)}
          onSaved={(id) => void navigate({ to: "/schedules/$scheduleId", params: { scheduleId: id }, search: {} })}
        />
      )}
    </Page>
  );
}

const example = `curl ${serverUrl}/schedules -H 'content-type: application/json' -d '{
  "name": "morning", "cron_expr": "0 9 * * 1-5", "timezone": "Europe/Paris",
  "endpoint": "/agents/AGENT_ID/runs", "payload": {"message": "What is new?"}
}'`;

function columnsFor(abilities: Abilities): readonly Column<Schedule>[] {
  return [
    {
      id: "name",
      header: "Name",
      cell: (schedule) => (
        <Stack gap={0} maw={{ base: 170, sm: 320 }}>
          <Group gap="xs">
            <Link to="/schedules/$scheduleId" params={{ scheduleId: schedule.id }} search={{}} className={classes.name}>
              {schedule.name}
            </Link>
            {isFromCode(schedule) && <CodeBadge />}
          </Group>
          <Text size="xs" c="dimmed" truncate>
            {schedule.description || targetOf(schedule)}
          </Text>
        </Stack>
      ),
    },
    {
      id: "when",
      header: "When",
      from: "sm",
      cell: ({ cron_expr: expression, timezone }) => (
        <Stack gap={0}>
          <Text size="sm" ff="monospace">
            {expression}
          </Text>
          <Text size="xs" c="dimmed">
            {timezone}
          </Text>
        </Stack>
      ),
    },
    {
      id: "next",
      header: "Next tick",
      cell: ({ enabled, next_run_at: next }) =>
        enabled && next ? <Time value={next} /> : <Text c="dimmed">none</Text>,
    },
    { id: "state", header: "State", from: "sm", cell: (schedule) => <State schedule={schedule} /> },
    {
      id: "actions",
      header: "Actions",
      isHeaderHidden: true,
      align: "right",
      cell: (schedule) => <ScheduleMenu schedule={schedule} abilities={abilities} />,
    },
  ];
}
