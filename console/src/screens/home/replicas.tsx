import { Badge } from "@mantine/core";
import { IconServer } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Id } from "../../components/copy.tsx";
import type { Column } from "../../components/data-table.tsx";
import { Empty } from "../../components/empty.tsx";
import { List } from "../../components/list.tsx";
import { Section } from "../../components/section.tsx";
import { Time } from "../../components/values.tsx";
import { type Overview, overviewQuery } from "./queries.ts";

type Replica = Overview["replicas"][number];

const columns: readonly Column<Replica>[] = [
  { id: "id", header: "Replica", cell: ({ id }) => <Id value={id} label="id of the replica" /> },
  {
    id: "lease",
    header: "Lease",
    cell: ({ lease_seconds: left }) =>
      left > 0 ? (
        <Badge color="green" variant="light" radius="sm" tt="none">
          {left.toFixed(0)} s left
        </Badge>
      ) : (
        <Badge color="red" variant="light" radius="sm" tt="none">
          expired
        </Badge>
      ),
  },
  { id: "runs", header: "Live runs", align: "right", cell: ({ live_runs: runs }) => runs },
  { id: "started", header: "Started", cell: ({ started_at: time }) => <Time value={time} /> },
];

/** The server processes that share the database. */
export function Replicas(): ReactNode {
  const request = useQuery(overviewQuery);
  return (
    <Section
      title="Replicas"
      description="Server processes that share the database. Another replica takes over the runs of one whose lease expires."
    >
      <List
        request={request}
        label="Replicas"
        columns={columns}
        rows={request.data?.replicas}
        rowKey={({ id }) => id}
        empty={
          <Empty icon={IconServer} title="No replica has a lease">
            A server takes a lease when it starts.
          </Empty>
        }
      />
    </Section>
  );
}
