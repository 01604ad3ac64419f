import { Badge, Button, Group, Stack, Text, Title } from "@mantine/core";
import { IconBolt, IconCalendarClock, IconPencil } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { createLazyRoute, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useMemo } from "react";
import { Id } from "../../components/copy.tsx";
import type { Column } from "../../components/data-table.tsx";
import { Empty } from "../../components/empty.tsx";
import { Fact, FactList } from "../../components/facts.tsx";
import { Json } from "../../components/json.tsx";
import { List, numberedPages } from "../../components/list.tsx";
import { NotLoaded } from "../../components/not-loaded.tsx";
import { Page } from "../../components/page.tsx";
import { RunLink } from "../../components/run-link.tsx";
import { Duration, formatDuration, StatusBadge, Time } from "../../components/values.tsx";
import { ScheduleMenu, useAbilities } from "./actions.tsx";
import { once } from "./cron.ts";
import { catchUpLabels, overlapLabels, ScheduleForm } from "./form.tsx";
import { componentOf } from "./form-values.ts";
import { CodeBadge, State, targetOf } from "./parts.tsx";
import { CronPreview } from "./preview.tsx";
import { type Fire, firesQuery, isFromCode, type Schedule, scheduleQuery } from "./queries.ts";

export const Route = createLazyRoute("/schedules/$scheduleId")({ component: OneSchedule });

function OneSchedule(): ReactNode {
  const { scheduleId } = Route.useParams();
  const { edit } = Route.useSearch();
  const navigate = useNavigate();
  const { data: schedule, error, refetch } = useQuery(scheduleQuery(scheduleId));
  const abilities = useAbilities(() => void navigate({ to: "/schedules", search: {} }));
  if (!schedule)
    return (
      <NotLoaded title="Schedule" error={error} onRetry={() => void refetch()} to="/schedules" all="All schedules" />
    );
  const { onTrigger, onEdit } = abilities;
  const isCode = isFromCode(schedule);
  return (
    <Page
      title={schedule.name}
      description={schedule.description || targetOf(schedule)}
      actions={
        <>
          {onTrigger && (
            <Button
              leftSection={<IconBolt size={16} aria-hidden />}
              disabled={!schedule.enabled}
              onClick={() => onTrigger(schedule)}
            >
              Fire now
            </Button>
          )}
          {onEdit && !isCode && (
            <Button
              variant="default"
              leftSection={<IconPencil size={16} aria-hidden />}
              onClick={() => onEdit(schedule)}
            >
              Change
            </Button>
          )}
          <ScheduleMenu schedule={schedule} abilities={abilities} />
        </>
      }
    >
      <Stack gap="xl">
        <Facts schedule={schedule} />
        {isCode && (
          <Text size="sm" c="dimmed">
            The code of the platform defines this schedule. It can be paused and fired here, and changed only in the
            code.
          </Text>
        )}
        {schedule.enabled && (
          <Stack gap="sm" component="section" aria-labelledby="ticks">
            <Title order={2} size="h4" id="ticks">
              Next ticks
            </Title>
            <CronPreview
              cronExpr={schedule.cron_expr}
              timezone={schedule.timezone}
              runAt={schedule.run_at ?? undefined}
              endsAt={schedule.ends_at ?? undefined}
            />
          </Stack>
        )}
        {schedule.payload && (
          <Stack gap="sm" component="section" aria-labelledby="payload">
            <Title order={2} size="h4" id="payload">
              Payload
            </Title>
            <Json value={schedule.payload} label="payload" />
          </Stack>
        )}
        <History schedule={schedule} />
      </Stack>
      {edit && onEdit && !isCode && (
        <ScheduleForm
          key={schedule.updated_at ?? 0}
          schedule={schedule}
          onClose={() => void navigate({ to: "/schedules/$scheduleId", params: { scheduleId }, search: {} })}
          onSaved={() => void navigate({ to: "/schedules/$scheduleId", params: { scheduleId }, search: {} })}
        />
      )}
    </Page>
  );
}

function Facts({ schedule }: { readonly schedule: Schedule }): ReactNode {
  const { cron_expr: expression, timezone, next_run_at: next, run_at: runAt } = schedule;
  const overlap = overlapLabels[schedule.overlap as keyof typeof overlapLabels];
  const catchUp = catchUpLabels[schedule.catch_up as keyof typeof catchUpLabels];
  return (
    <FactList>
      <Fact name="State">
        <State schedule={schedule} />
        {isFromCode(schedule) && <CodeBadge />}
      </Fact>
      <Fact name="When">
        <Text span inherit ff="monospace">
          {expression}
        </Text>
        {expression === once && runAt ? <Time value={runAt} format="local" /> : timezone}
      </Fact>
      <Fact name="Next tick">{schedule.enabled && next ? <Time value={next} /> : "none"}</Fact>
      <Fact name="Calls">{targetOf(schedule)}</Fact>
      <Fact name="While a fire is unfinished">{overlap ?? schedule.overlap}</Fact>
      <Fact name="Missed ticks">{catchUp ?? schedule.catch_up}</Fact>
      <Fact name="Time-out">{formatDuration(schedule.timeout_seconds * 1000)}</Fact>
      {schedule.max_retries > 0 && (
        <Fact name="Retries">
          {schedule.max_retries}, {formatDuration(schedule.retry_delay_seconds * 1000)} apart
        </Fact>
      )}
      {schedule.ends_at && (
        <Fact name="Ends at">
          <Time value={schedule.ends_at} format="local" />
        </Fact>
      )}
      {schedule.max_fires && <Fact name="Max fires">{schedule.max_fires}</Fact>}
      <Fact name="Id">
        <Id value={schedule.id} label="schedule id" />
      </Fact>
    </FactList>
  );
}

function History({ schedule }: { readonly schedule: Schedule }): ReactNode {
  const { page = 1 } = Route.useSearch();
  const navigate = useNavigate();
  const request = useQuery(firesQuery(schedule.id, page));
  const { method, endpoint } = schedule;
  const columns = useMemo(() => columnsFor({ method, endpoint }), [method, endpoint]);
  return (
    <Stack gap="sm" component="section" aria-labelledby="history">
      <Title order={2} size="h4" id="history">
        History
      </Title>
      <List
        request={request}
        label="Fires"
        columns={columns}
        rows={request.data?.data}
        rowKey={({ id }) => id}
        paging={numberedPages(request.data, (next) => {
          void navigate({ to: "/schedules/$scheduleId", params: { scheduleId: schedule.id }, search: { page: next } });
        })}
        empty={
          <Empty icon={IconCalendarClock} title="It has not fired yet">
            Each tick leaves a record here, also if it is skipped.
          </Empty>
        }
      />
    </Stack>
  );
}

/** Seconds after which a tick counts as missed: the default of the setting `misfireTimeout`. */
const misfireSeconds = 10;

/** How a fire came about. */
function originOf({ planned_at: planned, created_at: created, attempt }: Fire): readonly string[] {
  return [
    ...(planned ? [] : ["fired by hand"]),
    ...(planned && created && created - planned > misfireSeconds ? ["caught up"] : []),
    ...(attempt > 1 ? [`retry ${attempt - 1}`] : []),
  ];
}

function columnsFor(schedule: Pick<Schedule, "method" | "endpoint">): readonly Column<Fire>[] {
  const component = componentOf(schedule);
  return [
    {
      id: "planned",
      header: "Planned",
      cell: (fire) => (
        <Group gap="xs">
          {fire.planned_at && <Time value={fire.planned_at} format="local" />}
          {originOf(fire).map((origin) => (
            <Badge key={origin} variant="outline" color="gray" radius="sm" size="sm" tt="none">
              {origin}
            </Badge>
          ))}
        </Group>
      ),
    },
    {
      id: "actual",
      header: "Actual",
      from: "sm",
      cell: ({ planned_at: planned, triggered_at: begun }) =>
        begun ? (
          <Group gap="xs">
            <Time value={begun} format="local" />
            {planned && begun - planned >= 1 && (
              <Text span size="xs" c="dimmed">
                {formatDuration((begun - planned) * 1000)} late
              </Text>
            )}
          </Group>
        ) : (
          <Text c="dimmed">–</Text>
        ),
    },
    {
      id: "status",
      header: "State",
      cell: ({ status, error }) => (
        <Stack gap={2} align="flex-start">
          <StatusBadge status={status} />
          {error && (
            <Text size="xs" maw={320} lineClamp={3} title={error}>
              {error}
            </Text>
          )}
        </Stack>
      ),
    },
    {
      id: "duration",
      header: "Duration",
      align: "right",
      from: "md",
      cell: ({ triggered_at: begun, completed_at: ended }) => (
        <Duration ms={begun && ended ? (ended - begun) * 1000 : null} />
      ),
    },
    {
      id: "run",
      header: "Run",
      cell: ({ run_id: run, session_id: session }) =>
        !run ? (
          <Text c="dimmed">–</Text>
        ) : component ? (
          <RunLink kind={component.kind} component={component.id} run={run} session={session}>
            Run {run.slice(0, 8)}
          </RunLink>
        ) : (
          <Id value={run} label="run id" />
        ),
    },
  ];
}
