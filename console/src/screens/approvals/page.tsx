import { Group, Select, Stack, Tabs } from "@mantine/core";
import { createLazyRoute } from "@tanstack/react-router";
import { type ReactNode, useCallback } from "react";
import { useComponents } from "../../api/components.ts";
import { FilterInput } from "../../components/filter-input.tsx";
import { FilterSelect } from "../../components/filter-select.tsx";
import { Page } from "../../components/page.tsx";
import { useMay } from "../../session/me.ts";
import { ApprovalList } from "./approvals.tsx";
import { type ApprovalSearch, approvalStatuses, pauseTypes } from "./search.ts";
import { Waiting } from "./waiting.tsx";

export const Route = createLazyRoute("/approvals")({ component: Approvals });

const statusChoices = [...approvalStatuses, "all" as const].map((value) => ({ value, label: value }));
const typeLabels = { confirmation: "confirmation", user_input: "values", external_execution: "external call" } as const;
const typeChoices = pauseTypes.map((value) => ({ value, label: typeLabels[value] }));

function Approvals(): ReactNode {
  const search = Route.useSearch();
  const navigate = Route.useNavigate();
  const may = useMay();
  const { components } = useComponents();
  const seesRuns = may("GET /runs");
  const seesApprovals = may("GET /approvals");
  const tab = search.tab ?? (seesRuns ? "waiting" : "approvals");
  const filter = useCallback(
    (change: ApprovalSearch): void =>
      void navigate({
        search: (before) => ({ ...before, page: undefined, open: undefined, ...change }),
        replace: true,
      }),
    [navigate],
  );
  const open = useCallback(
    (id: string | undefined): void =>
      void navigate({ search: (before) => ({ ...before, open: id }), replace: id === undefined }),
    [navigate],
  );
  const reset = (): void => void navigate({ search: ({ tab: kept }) => ({ tab: kept }) });
  return (
    <Page title="Approvals" description="What runs wait for: confirmations, values, choices and reviews by a person.">
      <Stack gap="md">
        <Tabs
          value={tab}
          onChange={(next) => next && void navigate({ search: { tab: next as "waiting" } })}
          keepMounted={false}
        >
          <Tabs.List>
            {seesRuns && <Tabs.Tab value="waiting">Waiting runs</Tabs.Tab>}
            {seesApprovals && <Tabs.Tab value="approvals">Approvals</Tabs.Tab>}
          </Tabs.List>
          <Group align="flex-end" gap="sm" my="md">
            <FilterSelect
              label="Component"
              placeholder="All components"
              choices={components.map(({ kind, id, name }) => ({ value: `${kind}:${id}`, label: `${name} (${kind})` }))}
              value={search.component}
              onChange={(component) => filter({ component })}
              searchable
              w={230}
            />
            {tab === "approvals" && (
              <>
                <Select
                  label="State"
                  data={statusChoices}
                  value={search.status ?? "pending"}
                  onChange={(status) => filter({ status: status === "pending" ? undefined : (status ?? undefined) })}
                  allowDeselect={false}
                  w={130}
                />
                <FilterSelect
                  label="Asks for"
                  placeholder="Anything"
                  choices={typeChoices}
                  value={search.type}
                  onChange={(type) => filter({ type })}
                  w={150}
                />
              </>
            )}
            <FilterInput
              label="User"
              placeholder="Id"
              value={search.user}
              onChange={(user) => filter({ user })}
              w={160}
            />
          </Group>
          <Tabs.Panel value="waiting">
            <Waiting search={search} onOpen={open} onReset={reset} />
          </Tabs.Panel>
          <Tabs.Panel value="approvals">
            <ApprovalList
              search={search}
              onOpen={open}
              onPage={(page) => void navigate({ search: (before) => ({ ...before, page }) })}
              onReset={reset}
            />
          </Tabs.Panel>
        </Tabs>
      </Stack>
    </Page>
  );
}
