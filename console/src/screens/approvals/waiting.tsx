/** Runs that wait for a person, with their questions. */
import { Button, Group, Skeleton, Stack, Text } from "@mantine/core";
import { IconChecklist } from "@tabler/icons-react";
import { useInfiniteQuery, useQueries } from "@tanstack/react-query";
import { type ReactNode, useMemo } from "react";
import { serverUrl } from "../../api/places.ts";
import classes from "../../components/components.module.css";
import type { Column } from "../../components/data-table.tsx";
import { Empty } from "../../components/empty.tsx";
import { List, NoMatch, nextPages } from "../../components/list.tsx";
import { labelOf, TimeLeft } from "../../components/question-form.tsx";
import type { Answer, Question } from "../../components/questions.ts";
import { Time } from "../../components/values.tsx";
import { isFiltered } from "../../routing/filters.ts";
import { useMay } from "../../session/me.ts";
import { AnswerPanel } from "./answer-panel.tsx";
import { BatchControls, useBatch } from "./batch.tsx";
import { answerRun, useMayContinue } from "./decide.ts";
import { questionsQuery, type RunSummary, waitingQuery } from "./queries.ts";
import type { ApprovalSearch } from "./search.ts";

interface WaitingProps {
  readonly search: ApprovalSearch;
  readonly onOpen: (runId: string | undefined) => void;
  readonly onReset: () => void;
}

interface Row {
  readonly run: RunSummary;
  /** Undefined while they are loading. */
  readonly questions: readonly Question[] | undefined;
}

export function Waiting({ search, onOpen, onReset }: WaitingProps): ReactNode {
  const list = useInfiniteQuery(waitingQuery(search));
  const found = useMemo(() => list.data?.pages.flatMap(({ runs }) => runs), [list.data]);
  const questions = useQueries({ queries: (found ?? []).map(questionsQuery), combine: dataOfAll });
  const rows = useMemo(
    () => found?.map((run, place): Row => ({ run, questions: questions[place] })),
    [found, questions],
  );
  const mayContinue = useMayContinue();
  const mayApprove = useMay()("POST /approvals/{approval_id}/resolve");
  const batch = useBatch(() => onOpen(undefined));

  const ask = (confirmed: boolean, chosen: readonly Row[]): void =>
    batch.ask({
      confirmed,
      names: chosen.map(titleOf),
      onConfirm: (note) =>
        batch.send(
          chosen.map((row) => {
            const answer: Answer = { confirmed, ...(note === undefined ? {} : { note }) };
            return answerRun(
              row.run,
              (row.questions ?? []).map((question) => [question, answer]),
              titleOf(row),
            );
          }),
        ),
    });
  const isAllowed = ({ run, questions: open }: Row): boolean =>
    mayContinue(run.component_type, run.component_id) &&
    (mayApprove || open?.some(({ needsApproval }) => needsApproval) !== true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the functions use only what the dependencies determine.
  const columns = useMemo(
    () => columnsFor({ onOpen, onDecide: (confirmed, row) => ask(confirmed, [row]), isAllowed }),
    [mayApprove],
  );
  const chosen = rows?.filter(({ run }) => batch.selected.has(run.run_id)) ?? [];
  const approvable = chosen.filter((row) => isAllowed(row) && takesYes(row));
  const rejectable = chosen.filter((row) => isAllowed(row) && takesNo(row));
  return (
    <Stack gap="md">
      <BatchControls
        batch={batch}
        chosen={chosen}
        approvable={approvable}
        rejectable={rejectable}
        others="need more than a yes"
        onDecide={ask}
      />
      <List
        request={list}
        label="Waiting runs"
        columns={columns}
        rows={rows}
        rowKey={({ run }) => run.run_id}
        selection={{ selected: batch.selected, onChange: batch.select, nameOf: titleOf }}
        paging={nextPages(list)}
        empty={isFiltered(search, ["component", "user"]) ? <NoRequest onReset={onReset} /> : <NothingWaits />}
      />
      {search.open && (
        <AnswerPanel
          runId={search.open}
          listed={found?.find(({ run_id }) => run_id === search.open)}
          isSending={batch.isSending}
          onSend={(decision) => batch.send([decision])}
          onClose={() => onOpen(undefined)}
        />
      )}
    </Stack>
  );
}

function dataOfAll(results: readonly { readonly data: readonly Question[] | undefined }[]) {
  return results.map(({ data }) => data);
}

/** What an empty table shows when filters hide everything. */
export function NoRequest({ onReset }: { readonly onReset: () => void }): ReactNode {
  return (
    <NoMatch icon={IconChecklist} title="Nothing matches the filters" onReset={onReset}>
      Requests of other components and users may wait.
    </NoMatch>
  );
}

function NothingWaits(): ReactNode {
  return (
    <Empty
      icon={IconChecklist}
      title="No run waits for a person"
      command={`curl -N ${serverUrl}/workflows/WORKFLOW_ID/runs -d message=Paris`}
    >
      A run waits when a tool or a step asks for a confirmation, a value, a choice or a review.
    </Empty>
  );
}

function titleOf({ run, questions }: Row): string {
  const [first, ...more] = questions ?? [];
  if (!first) return run.component_name;
  return more.length === 0 ? first.title : `${first.title} and ${more.length} more`;
}

function takesYes({ questions }: Row): boolean {
  return questions !== undefined && questions.length > 0 && questions.every(({ type }) => type === "confirm");
}

function takesNo({ questions }: Row): boolean {
  return questions !== undefined && questions.length > 0 && questions.every(({ allowsNo }) => allowsNo);
}

interface Abilities {
  readonly onOpen: (runId: string) => void;
  readonly onDecide: (confirmed: boolean, row: Row) => void;
  readonly isAllowed: (row: Row) => boolean;
}

function columnsFor({ onOpen, onDecide, isAllowed }: Abilities): readonly Column<Row>[] {
  return [
    {
      id: "question",
      header: "Question",
      cell: (row) =>
        row.questions ? (
          <Stack gap={0} maw={420}>
            <button type="button" className={classes.rowButton} onClick={() => onOpen(row.run.run_id)}>
              {titleOf(row)}
            </button>
            <Text size="xs" c="dimmed">
              {[...new Set(row.questions.map(({ type }) => labelOf(type)))].join(", ")}
              {row.questions[0]?.from && ` · ${row.questions[0].from}`}
            </Text>
            <Text size="xs" hiddenFrom="sm">
              <Deadline questions={row.questions} />
            </Text>
          </Stack>
        ) : (
          <Skeleton height={34} w={180} />
        ),
    },
    {
      id: "component",
      header: "Component",
      from: "sm",
      cell: ({ run }) => (
        <Text size="sm" span>
          {run.component_name}{" "}
          <Text size="xs" c="dimmed" span>
            {run.component_type}
          </Text>
        </Text>
      ),
    },
    { id: "user", header: "User", from: "md", cell: ({ run }) => run.user_id ?? <Text c="dimmed">–</Text> },
    { id: "since", header: "Waiting since", from: "sm", cell: ({ run }) => <Time value={run.updated_at} /> },
    {
      id: "left",
      header: "Time left",
      from: "sm",
      cell: ({ questions = [] }) => (
        <Text size="sm" span>
          <Deadline questions={questions} />
        </Text>
      ),
    },
    {
      id: "actions",
      header: "Actions",
      isHeaderHidden: true,
      align: "right",
      cell: (row) => {
        const name = titleOf(row);
        if (!row.questions || !isAllowed(row)) return null;
        if (!takesYes(row)) {
          return (
            <Button
              size="compact-sm"
              variant="light"
              aria-label={`Answer ${name}`}
              onClick={() => onOpen(row.run.run_id)}
            >
              Answer
            </Button>
          );
        }
        return (
          <Group gap={4} justify="flex-end">
            <Button
              size="compact-sm"
              variant="light"
              aria-label={`Approve ${name}`}
              onClick={() => onDecide(true, row)}
            >
              Approve
            </Button>
            <Button
              size="compact-sm"
              variant="subtle"
              color="red"
              aria-label={`Reject ${name}`}
              onClick={() => onDecide(false, row)}
            >
              Reject
            </Button>
          </Group>
        );
      },
    },
  ];
}

/** The time until the first deadline of a run's questions. */
function Deadline({ questions }: { readonly questions: readonly Question[] }): ReactNode {
  const [first] = questions.flatMap(({ deadline }) => deadline ?? []).sort();
  if (first) return <TimeLeft until={first} />;
  return (
    <Text span inherit c="dimmed">
      no limit
    </Text>
  );
}
