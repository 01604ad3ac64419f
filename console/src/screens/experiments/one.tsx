/** One experiment: its progress, a summary of both sides, and its rows side by side. */
import { Alert, Badge, Button, Card, Group, Progress, SimpleGrid, Skeleton, Stack, Table, Text } from "@mantine/core";
import { IconPlayerStop } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { createLazyRoute, Link, useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import componentClasses from "../../components/components.module.css";
import { askToConfirm } from "../../components/confirm.tsx";
import { DeleteButton } from "../../components/delete-button.tsx";
import { Fact, FactList } from "../../components/facts.tsx";
import { NotLoaded } from "../../components/not-loaded.tsx";
import { Page } from "../../components/page.tsx";
import { RunLink } from "../../components/run-link.tsx";
import { Section } from "../../components/section.tsx";
import { TextDiff } from "../../components/text-diff.tsx";
import { StatusBadge, Time } from "../../components/values.tsx";
import { useMay } from "../../session/me.ts";
import classes from "./experiments.module.css";
import { formatMeasure } from "./format.ts";
import { type ComparedRow, experimentQuery, type Result, useCancel, useRemove } from "./queries.ts";
import { type Experiment, isOver, measuresOf, percentOf, titleOf } from "./summary.ts";
import { nameOfVersion } from "./versions.ts";

export const Route = createLazyRoute("/experiments/$experiment")({ component: ExperimentPage });

function ExperimentPage(): ReactNode {
  const { experiment: id } = Route.useParams();
  const list = useInfiniteQuery(experimentQuery(id));
  const experiment = list.data?.pages[0]?.experiment;
  if (!experiment)
    return (
      <NotLoaded
        title="Experiment"
        error={list.error}
        onRetry={() => void list.refetch()}
        to="/experiments"
        all="All experiments"
      />
    );
  const rows = list.data?.pages.flatMap((page) => page.experiment.rows) ?? [];
  return (
    <Page title={titleOf(experiment)} actions={<Actions experiment={experiment} />}>
      <Facts experiment={experiment} />
      {!isOver(experiment) && (
        <Progress value={percentOf(experiment)} aria-label="Progress of the experiment" animated />
      )}
      {experiment.error && (
        <Alert
          color="red"
          title={experiment.status === "cancelled" ? "The experiment was cancelled" : "The experiment failed"}
        >
          {experiment.error}
        </Alert>
      )}
      <Section title="Summary">
        <Summary experiment={experiment} />
      </Section>
      <Section title="Rows">
        {rows.map((row, place) => (
          <Row key={row.id} row={row} number={place + 1} experiment={experiment} />
        ))}
        {list.hasNextPage && (
          <Button
            variant="default"
            size="xs"
            onClick={() => void list.fetchNextPage()}
            loading={list.isFetchingNextPage}
            w="fit-content"
            mx="auto"
          >
            Show more
          </Button>
        )}
      </Section>
    </Page>
  );
}

function Facts({ experiment }: { readonly experiment: Experiment }): ReactNode {
  const { status, finished, total, component_type: kind, component_id: id, dataset_id: dataset } = experiment;
  return (
    <FactList>
      <Fact name="State">
        <StatusBadge status={status} />
      </Fact>
      <Fact name="Results">
        {finished} of {total}
      </Fact>
      <Fact name="Component">
        <Link to="/components/$kind/$id" params={{ kind, id }} search={{}} className={componentClasses.colouredLink}>
          {id}
        </Link>
      </Fact>
      <Fact name="Dataset">
        <Link to="/datasets/$dataset" params={{ dataset }} search={{}} className={componentClasses.colouredLink}>
          {dataset.slice(0, 8)}
        </Link>
      </Fact>
      <Fact name="Created">
        <Time value={experiment.created_at} format="local" />
      </Fact>
    </FactList>
  );
}

function Actions({ experiment }: { readonly experiment: Experiment }): ReactNode {
  const may = useMay();
  const navigate = useNavigate();
  const cancel = useCancel(experiment.id);
  const { mutate: remove } = useRemove(() => navigate({ to: "/experiments", search: {} }));
  const { component_type: kind, component_id: component } = experiment;
  return (
    <>
      {!isOver(experiment) && may("POST /experiments/{experiment_id}/cancel") && (
        <Button
          variant="light"
          color="red"
          leftSection={<IconPlayerStop size={14} aria-hidden />}
          loading={cancel.isPending}
          onClick={() =>
            askToConfirm({
              title: "Cancel this experiment?",
              message: "Its runs in progress are cancelled. Its results stay.",
              confirm: "Cancel the experiment",
              onConfirm: () => cancel.mutate(undefined),
            })
          }
        >
          Cancel
        </Button>
      )}
      <Button component={Link} {...({ to: "/experiments", search: { kind, component } } as object)} variant="default">
        Measures over time
      </Button>
      {isOver(experiment) && may("DELETE /experiments/{experiment_id}") && (
        <DeleteButton
          title="Delete this experiment?"
          message="Its results are deleted. Its runs stay."
          onDelete={() => remove(experiment.id)}
        />
      )}
    </>
  );
}

function Summary({ experiment: { a, b } }: { readonly experiment: Experiment }): ReactNode {
  if (!a || !b) return <Skeleton height={120} radius="md" />;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the table scrolls on a phone, so that the keyboard must reach it.
    <section className={componentClasses.scroll} aria-label="Summary of both sides" tabIndex={0}>
      <Table aria-label="Summary" className={componentClasses.table} verticalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Measure</Table.Th>
            <Table.Th ta="right">A: {nameOfVersion(a.version)}</Table.Th>
            <Table.Th ta="right">B: {nameOfVersion(b.version)}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {measuresOf(a, b).map(({ name, unit, better, ...values }) => (
            <Table.Tr key={name}>
              <Table.Th scope="row">{name}</Table.Th>
              {(["a", "b"] as const).map((side) => (
                <Table.Td key={side} ta="right">
                  <Group gap={6} justify="flex-end" wrap="nowrap">
                    {better === side && (
                      <Badge size="sm" variant="light" color="green" radius="sm" tt="none" miw="max-content">
                        better
                      </Badge>
                    )}
                    {formatMeasure(unit, values[side])}
                  </Group>
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}

interface RowProps {
  readonly row: ComparedRow;
  readonly number: number;
  readonly experiment: Experiment;
}

function Row({ row: { input, expected, a, b }, number, experiment }: RowProps): ReactNode {
  const isDifferent = a?.output != null && b?.output != null && a.output !== b.output;
  return (
    <Card withBorder padding="md" component="article" aria-label={`Row ${number}`}>
      <Stack gap="sm">
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
          <Labelled label="Input" text={input} />
          <Labelled label="Expected" text={expected} />
        </SimpleGrid>
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
          <SideResult name="A" result={a} experiment={experiment} />
          <SideResult name="B" result={b} experiment={experiment} />
        </SimpleGrid>
        {isDifferent && (
          <div>
            <Text size="xs" c="dimmed" mb={4}>
              From A to B
            </Text>
            <TextDiff before={a.output ?? ""} after={b.output ?? ""} label={`Differences of row ${number}`} />
          </div>
        )}
      </Stack>
    </Card>
  );
}

function Labelled({ label, text }: { readonly label: string; readonly text: string | null }): ReactNode {
  return (
    <div>
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      <Text size="sm" className={classes.text}>
        {text ?? "–"}
      </Text>
    </div>
  );
}

interface SideProps {
  readonly name: "A" | "B";
  readonly result: Result | null;
  readonly experiment: Experiment;
}

function SideResult({ name, result, experiment }: SideProps): ReactNode {
  const { component_type: kind, component_id: component } = experiment;
  if (!result)
    return (
      <div>
        <Text size="sm" fw={500}>
          {name}
        </Text>
        <Text size="sm" c="dimmed">
          {isOver(experiment) ? "No result" : "Not finished yet"}
        </Text>
      </div>
    );
  const { run_id: run, status, output, error, scores, cost, latency } = result;
  return (
    <Stack gap={4}>
      <Group gap="xs">
        <Text size="sm" fw={500}>
          {name}
        </Text>
        {status.toUpperCase() !== "COMPLETED" && <StatusBadge status={status} />}
        {scores.map(({ scorer, score, reason }) => (
          <Badge
            key={scorer}
            variant="light"
            color="gray"
            radius="sm"
            tt="none"
            miw="max-content"
            title={reason ?? undefined}
          >
            {scorer} {formatMeasure("score", score)}
          </Badge>
        ))}
        <Text size="xs" c="dimmed">
          {formatMeasure("usd", cost)} · {formatMeasure("seconds", latency)}
        </Text>
        <Text size="xs">
          <RunLink kind={kind} component={component} run={run} isColoured>
            Run of {name}
          </RunLink>
        </Text>
      </Group>
      <Text size="sm" className={classes.text}>
        {output ?? error ?? "–"}
      </Text>
      {scores.some(({ reason }) => reason) && (
        <Text size="xs" c="dimmed">
          {scores.flatMap(({ scorer, reason }) => (reason ? [`${scorer}: ${reason}`] : [])).join("; ")}
        </Text>
      )}
    </Stack>
  );
}
