import { Paper, SimpleGrid, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import classes from "../../components/components.module.css";
import { formatDuration } from "../../components/values.tsx";
import { useMay } from "../../session/me.ts";
import { liveRunsQuery, overviewQuery } from "./queries.ts";

/** The platform in four numbers, as far as the caller may read them. */
export function Numbers(): ReactNode {
  const may = useMay();
  const overview = useQuery({ ...overviewQuery, enabled: may("GET /overview") });
  const live = useQuery({ ...liveRunsQuery, enabled: may("GET /runs") });
  if (!may("GET /overview") && !may("GET /runs")) return null;
  const links = may("GET /runs") ? statuses : undefined;
  const { queue, replicas } = overview.data ?? {};
  const alive = replicas?.filter(({ lease_seconds: left }) => left > 0);
  const paused = live.data?.filter(({ status: state }) => state === "PAUSED").length;
  const running = alive?.reduce((sum, { live_runs: runs }) => sum + runs, 0) ?? live.data?.length;
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }}>
      <Figure label="Running" value={running} note="on all replicas" status={links?.running} />
      {links && <Figure label="Paused" value={paused} note="waiting for an answer" status={links.paused} />}
      {may("GET /overview") && (
        <>
          <Figure
            label="Queue"
            value={queue && `${queue.length}${queue.is_longer ? "+" : ""}`}
            note={queue?.length ? `oldest waits ${formatDuration(queue.oldest_wait_seconds * 1000)}` : "no run waits"}
            status={links?.queue}
          />
          <Figure label="Replicas" value={alive?.length} note="with a lease" />
        </>
      )}
    </SimpleGrid>
  );
}

const statuses = { running: "RUNNING", paused: "PAUSED", queue: "PENDING" } as const;

interface FigureProps {
  readonly label: string;
  readonly value: number | string | undefined;
  readonly note: string;
  /** The state of the runs that the figure counts, for a link to them. */
  readonly status?: "RUNNING" | "PAUSED" | "PENDING" | undefined;
}

function Figure({ label, value, note, status }: FigureProps): ReactNode {
  return (
    <Paper withBorder p="md" {...(status && { className: classes.cardWithLink })}>
      <Stack gap={2}>
        <Text size="sm" c="dimmed">
          {status ? (
            <Link to="/runs" search={{ status }} className={classes.cardLink} style={{ fontWeight: "inherit" }}>
              {label}
            </Link>
          ) : (
            label
          )}
        </Text>
        {value === undefined ? (
          <Skeleton height={32} width={48} />
        ) : (
          <Text fz={26} lh="32px" fw={650} className="tabular">
            {value}
          </Text>
        )}
        <Text size="xs" c="dimmed">
          {note}
        </Text>
      </Stack>
    </Paper>
  );
}
