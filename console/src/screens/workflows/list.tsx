import { Text } from "@mantine/core";
import { IconHierarchy2 } from "@tabler/icons-react";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { createLazyRoute, Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { api, dataOf, type Schema } from "../../api/client.ts";
import classes from "../../components/components.module.css";
import type { Column } from "../../components/data-table.tsx";
import { Empty } from "../../components/empty.tsx";
import { List } from "../../components/list.tsx";
import { Page } from "../../components/page.tsx";

export const Route = createLazyRoute("/workflows")({ component: Workflows });

type Workflow = Schema<"WorkflowSummaryResponse">;

const workflowsQuery = queryOptions({
  queryKey: ["workflows"],
  queryFn: ({ signal }) => dataOf(api.GET("/workflows", { signal })),
});

const columns: readonly Column<Workflow>[] = [
  {
    id: "name",
    header: "Workflow",
    cell: ({ id, name }) => (
      <Link to="/workflows/$workflow" params={{ workflow: id ?? "" }} className={classes.rowLink}>
        {name ?? id}
      </Link>
    ),
  },
  {
    id: "id",
    header: "Id",
    from: "sm",
    cell: ({ id }) => (
      <Text size="xs" ff="monospace">
        {id}
      </Text>
    ),
  },
  {
    id: "description",
    header: "Description",
    cell: ({ description }) => (
      <Text size="sm" lineClamp={2}>
        {description}
      </Text>
    ),
  },
];

function Workflows(): ReactNode {
  const request = useQuery(workflowsQuery);
  return (
    <Page title="Workflows" description="Steps in a defined order, with their graphs.">
      <List
        request={request}
        label="Workflows"
        columns={columns}
        rows={request.data}
        rowKey={({ id }) => id ?? ""}
        empty={
          <Empty icon={IconHierarchy2} title="No workflows" command="npx troupe start app.ts">
            The platform hosts no workflow that you may see. Give definePlatform workflows, and start it again.
          </Empty>
        }
      />
    </Page>
  );
}
