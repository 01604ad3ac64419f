/** Eval runs of agents and teams. */
import { Button, Group, Stack, Text } from "@mantine/core";
import { IconPlus, IconTargetArrow } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { createLazyRoute, Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { serverUrl } from "../../api/places.ts";
import classes from "../../components/components.module.css";
import type { Column } from "../../components/data-table.tsx";
import { Empty } from "../../components/empty.tsx";
import { FilterInput } from "../../components/filter-input.tsx";
import { FilterSelect } from "../../components/filter-select.tsx";
import { Filters } from "../../components/filters.tsx";
import { List, NoMatch, numberedPages } from "../../components/list.tsx";
import { Page } from "../../components/page.tsx";
import { StatusBadge, Time } from "../../components/values.tsx";
import { filtersOf, isFiltered } from "../../routing/filters.ts";
import { useMay } from "../../session/me.ts";
import { Passed } from "./passed.tsx";
import { type Eval, evalsQuery } from "./queries.ts";
import { nameOfType, resultOf } from "./result.ts";
import { type EvalsSearch, evalTypes, type NewEvalSearch } from "./search.ts";

export const Route = createLazyRoute("/evals")({ component: Evals });

const typeChoices = evalTypes.map((type) => ({ value: type, label: nameOfType(type) }));

const example = `curl ${serverUrl}/eval-runs --json '{"eval_type":"accuracy","agent_id":"AGENT_ID","input":"Hello","expected_output":"Hello"}'`;

function Evals(): ReactNode {
  const search = Route.useSearch();
  const navigate = Route.useNavigate();
  const list = useQuery(evalsQuery(search));
  const { bind, toPage, removeAll } = filtersOf(search, (next, { replace }) => {
    void navigate({ search: next, replace });
  });
  const create = useMay()("POST /eval-runs") && (
    <Button component={Link} {...newEvalLink(search)} leftSection={<IconPlus size={14} aria-hidden />}>
      New eval
    </Button>
  );
  return (
    <Page
      title="Evals"
      description="Accuracy, judged quality, performance and reliability of agents and teams."
      actions={create}
    >
      <Filters>
        <FilterSelect label="Type" placeholder="All types" choices={typeChoices} {...bind("type")} />
        <FilterInput label="Agent" placeholder="Id" {...bind("agent")} />
        <FilterInput label="Team" placeholder="Id" {...bind("team")} />
      </Filters>
      <List
        request={list}
        label="Evals"
        columns={columns}
        rows={list.data?.data}
        rowKey={({ id }) => id}
        paging={numberedPages(list.data, toPage)}
        empty={
          isFiltered(search, ["type", "agent", "team"]) ? (
            <NoMatch icon={IconTargetArrow} title="No eval matches the filters" onReset={removeAll}>
              Ids match as a whole.
            </NoMatch>
          ) : (
            <Empty icon={IconTargetArrow} title="No evals yet" command={example} action={create}>
              An eval runs a component on one input, and measures its answers.
            </Empty>
          )
        }
      />
    </Page>
  );
}

/** The form begins with the filters of the list. */
function newEvalLink({ type, agent, team }: EvalsSearch): object {
  const component = agent ?? team;
  const search: NewEvalSearch = { type, ...(component !== undefined && { kind: agent ? "agent" : "team", component }) };
  return { to: "/evals/new", search };
}

const columns: readonly Column<Eval>[] = [
  {
    id: "name",
    header: "Eval",
    cell: ({ id, name, eval_type: type }) => (
      <Stack gap={0} maw={{ base: 180, sm: 340 }}>
        <Link to="/evals/$eval" params={{ eval: id }} className={classes.rowLink}>
          {name || nameOfType(type)}
        </Link>
        {name && (
          <Text size="xs" c="dimmed">
            {nameOfType(type)}
          </Text>
        )}
      </Stack>
    ),
  },
  {
    id: "component",
    header: "Component",
    from: "sm",
    cell: ({ agent_id: agent, team_id: team, evaluated_component_name: name }) => name ?? agent ?? team ?? "–",
  },
  { id: "status", header: "State", cell: ({ status }) => <StatusBadge status={status} /> },
  {
    id: "result",
    header: "Result",
    cell: (one) => (
      <Group gap={6}>
        <Passed passed={one.passed} />
        <span>{resultOf(one) ?? (one.passed === null ? "–" : "")}</span>
      </Group>
    ),
  },
  {
    id: "created",
    header: "Created",
    from: "sm",
    cell: ({ created_at: time }) => (time ? <Time value={time} /> : "–"),
  },
];
