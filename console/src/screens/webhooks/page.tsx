/** The deliveries of webhooks: what was sent to whom, and what the receivers answered. */
import { Button, Stack, Text } from "@mantine/core";
import { IconRefresh, IconWebhook } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { createLazyRoute } from "@tanstack/react-router";
import { type ReactNode, useCallback, useMemo, useState } from "react";
import { serverUrl } from "../../api/places.ts";
import classes from "../../components/components.module.css";
import type { Column } from "../../components/data-table.tsx";
import { Empty } from "../../components/empty.tsx";
import { FilterInput } from "../../components/filter-input.tsx";
import { FilterSelect } from "../../components/filter-select.tsx";
import { Filters } from "../../components/filters.tsx";
import { List, NoMatch, nextPages, useFoundRows } from "../../components/list.tsx";
import { Page } from "../../components/page.tsx";
import { StatusBadge, Time } from "../../components/values.tsx";
import { filtersOf, isFiltered } from "../../routing/filters.ts";
import { useMay } from "../../session/me.ts";
import { DeliveryPanel } from "./delivery.tsx";
import { Subject } from "./parts.tsx";
import { type Delivery, deliveriesQuery, useReplay } from "./queries.ts";
import { deliveryEvents, deliveryStates } from "./search.ts";

export const Route = createLazyRoute("/webhooks")({ component: Webhooks });

const stateChoices = deliveryStates.map((value) => ({ value, label: value }));
const eventChoices = deliveryEvents.map((value) => ({ value, label: value }));

function Webhooks(): ReactNode {
  const search = Route.useSearch();
  const navigate = Route.useNavigate();
  const list = useInfiniteQuery(deliveriesQuery(search));
  const found = useMemo(() => list.data?.pages.flatMap(({ deliveries }) => deliveries), [list.data]);
  const rows = useFoundRows(list, found);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const mayReplay = useMay()("POST /webhooks/deliveries/{delivery_id}/replay");
  const replay = useReplay();
  const { bind, removeAll } = filtersOf(search, (next, { replace }) => {
    setSelected(new Set());
    void navigate({ search: next, replace });
  });
  const open = useCallback(
    (id: string | undefined): void =>
      void navigate({ search: (before) => ({ ...before, open: id }), replace: id === undefined }),
    [navigate],
  );
  const columns = useMemo(() => columnsFor(open), [open]);
  const chosen = rows?.filter(({ id, state }) => selected.has(id) && state !== "pending") ?? [];
  return (
    <Page title="Webhooks" description="Messages to your services about runs and schedules, newest first.">
      <Filters>
        <FilterSelect label="State" placeholder="All states" choices={stateChoices} {...bind("state")} />
        <FilterSelect label="Event" placeholder="All events" choices={eventChoices} {...bind("event")} />
        <FilterInput label="Webhook" placeholder="Id" {...bind("webhook")} />
        <FilterInput label="Run" placeholder="Id" {...bind("run")} />
        <FilterInput label="Schedule" placeholder="Id" {...bind("schedule")} />
        {chosen.length > 0 && (
          <Button
            variant="light"
            leftSection={<IconRefresh size={14} aria-hidden />}
            loading={replay.isPending}
            onClick={() => replay.mutate(chosen, { onSuccess: () => setSelected(new Set()) })}
          >
            Send {chosen.length} again
          </Button>
        )}
      </Filters>
      <List
        request={list}
        label="Deliveries"
        columns={columns}
        rows={rows}
        rowKey={({ id }) => id}
        {...(mayReplay && { selection: { selected, onChange: setSelected, nameOf: titleOf } })}
        paging={nextPages(list)}
        empty={
          isFiltered(search, ["state", "event", "webhook", "run", "schedule"]) ? (
            <NoMatch icon={IconWebhook} title="No delivery matches the filters" onReset={removeAll}>
              Ids match as a whole.
            </NoMatch>
          ) : (
            <Empty icon={IconWebhook} title="No deliveries yet" command={example}>
              A webhook receives a signed message when a run ends or waits, or when a schedule fails. The platform
              defines webhooks for all runs; a start can add some for its run.
            </Empty>
          )
        }
      />
      {search.open && (
        <DeliveryPanel
          id={search.open}
          mayReplay={mayReplay}
          isSending={replay.isPending}
          onReplay={(delivery) => replay.mutate([delivery])}
          onClose={() => open(undefined)}
        />
      )}
    </Page>
  );
}

const example = `curl ${serverUrl}/agents/AGENT_ID/runs -F message=Hello -F stream=false \\
  -F 'webhooks=[{"url": "https://YOUR_SERVICE/hooks", "secret": "whsec_'$(openssl rand -base64 32)'"}]'`;

function titleOf({ event, webhook_id: webhook }: Delivery): string {
  return `${event} to ${webhook}`;
}

function columnsFor(onOpen: (id: string) => void): readonly Column<Delivery>[] {
  return [
    {
      id: "event",
      header: "Event",
      cell: (delivery) => (
        <Stack gap={0} maw={260} align="flex-start">
          <button
            type="button"
            className={classes.rowButton}
            style={{ whiteSpace: "nowrap" }}
            onClick={() => onOpen(delivery.id)}
          >
            {delivery.event}
          </button>
          <Text size="xs" c="dimmed" truncate maw="100%">
            to {delivery.webhook_id}
          </Text>
        </Stack>
      ),
    },
    {
      id: "state",
      header: "State",
      cell: ({ state, error }) => (
        <Stack gap={2} align="flex-start">
          <StatusBadge status={state} />
          {state !== "delivered" && error && (
            <Text size="xs" c="dimmed" lineClamp={1} maw={260} title={error}>
              {error}
            </Text>
          )}
        </Stack>
      ),
    },
    {
      id: "about",
      header: "About",
      from: "sm",
      cell: (delivery) => <Subject delivery={delivery} isColoured={false} />,
    },
    { id: "attempts", header: "Attempts", align: "right", from: "md", cell: ({ attempts }) => attempts },
    {
      id: "status",
      header: "Answer",
      align: "right",
      from: "md",
      cell: ({ status_code: status }) => status ?? <Text c="dimmed">–</Text>,
    },
    { id: "changed", header: "Last change", from: "sm", cell: ({ updated_at: time }) => <Time value={time} /> },
  ];
}
