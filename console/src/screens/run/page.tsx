import { Alert, Anchor, Button, Group, Menu, Skeleton, Stack, Tabs, Text } from "@mantine/core";
import { IconCode, IconDots, IconDownload, IconPlayerStop, IconTablePlus } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { createLazyRoute, Link } from "@tanstack/react-router";
import { lazy, type ReactNode, Suspense, useCallback, useEffect, useMemo, useState } from "react";
import { isComponentKind } from "../../api/component-kinds.ts";
import { serverUrl } from "../../api/places.ts";
import { notifyDone } from "../../api/queries.ts";
import { askToConfirm } from "../../components/confirm.tsx";
import { downloadJson } from "../../components/download.ts";
import { ErrorPanel } from "../../components/error-panel.tsx";
import { Feedback, FeedbackList } from "../../components/feedback.tsx";
import { NotThere } from "../../components/not-there.tsx";
import { Page } from "../../components/page.tsx";
import { currentToken } from "../../session/credential.ts";
import { type Permission, useMay } from "../../session/me.ts";
import { AddToDataset } from "./add-to-dataset.tsx";
import { Checkpoints } from "./checkpoints.tsx";
import { CodeDialog } from "./code-dialog.tsx";
import { Details } from "./details.tsx";
import { EventDetails } from "./event-details.tsx";
import { EventList } from "./event-list.tsx";
import { clientRun, type Followed, useFollowedRun } from "./follow.ts";
import { isNotFound, recordQuery, type ShownRecord } from "./queries.ts";
import { RecordView } from "./record-view.tsx";
import { Related } from "./related.tsx";
import type { RunName } from "./run-name.ts";
import { inputOf, isOver, statusOf } from "./run-state.ts";
import type { RunSearch, RunTab } from "./search.ts";
import { stepFactsOf } from "./step-facts.ts";
import { Summary } from "./summary.tsx";
import { flatten, type TimelineRow, timelineOf } from "./timeline.ts";
import { Waterfall } from "./waterfall.tsx";

export const Route = createLazyRoute("/runs/$kind/$component/$run")({ component: RunPage });

/** The library of graphs is loaded with the first graph. */
const DefinitionGraph = lazy(() => import("../../components/workflow-graph/definition-graph.tsx"));

function RunPage(): ReactNode {
  const { kind, component, run } = Route.useParams();
  if (!isComponentKind(kind)) return <NoSuchRun />;
  // Another run begins with an empty page.
  return <ShownRun key={`${kind}/${component}/${run}`} kind={kind} component={component} run={run} />;
}

function ShownRun({ kind, component, run }: Omit<RunName, "session">): ReactNode {
  const search = Route.useSearch();
  const navigate = Route.useNavigate();
  const may = useMay();
  const queries = useQueryClient();
  const [attempt, setAttempt] = useState(0);
  const [isCodeOpen, setCodeOpen] = useState(false);
  const [isAdding, setAdding] = useState(false);
  const allows = (rest: string, method: "GET" | "POST" = "GET"): boolean =>
    may(`${method} /${kind}s/{${kind}_id}/runs/{run_id}${rest}` as Permission, component);
  const mayRead = allows("");
  const right = allows("/events") ? "read" : allows("/resume", "POST") ? "resume" : undefined;
  const mayFollow = right !== undefined;
  const followed = useFollowedRun({ kind, component, run, session: search.session }, right, attempt);
  const session = search.session ?? followed.events[0]?.session_id;
  const name: RunName = useMemo(() => ({ kind, component, run, session }), [kind, component, run, session]);
  const { data: record, error: recordError } = useQuery({
    ...recordQuery(name),
    enabled: mayRead && session !== undefined,
    // Without a log to follow, the record is read again until the run is over.
    refetchInterval: ({ state: { data } }) =>
      followed.phase === "unfollowable" && (!data || !isOver(data.status)) ? 3_000 : false,
  });
  const shown = useShownLog(followed, record);
  const { timeline } = shown;
  const factsOf = useCallback((names: readonly string[]) => stepFactsOf(timeline, names), [timeline]);
  const status = statusOf(timeline, record);
  const cancel = useCancel(name);

  // The record follows the state of the log.
  useEffect(() => {
    if (timeline.root?.state !== undefined) void queries.invalidateQueries({ queryKey: ["run", kind, component, run] });
  }, [queries, timeline.root?.state, kind, component, run]);

  const show = (change: Partial<RunSearch>): void =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
  const failure = followed.phase === "failed" ? followed.error : record || shown.count > 0 ? undefined : recordError;
  if (isNotFound(failure) || isNotFound(recordError)) return <NoSuchRun />;

  const rows = flatten(timeline.root);
  const selected = rows.find(({ row }) => row.id === search.row)?.row;
  const refusal = rows.find(({ row }) => row.state === "refused")?.row;
  const event = shown.events.find(({ event_index }) => event_index === search.event);
  const hasGraph = kind === "workflow" && may("GET /workflows/{workflow_id}", component);
  const hasCheckpoints = kind !== "workflow" && allows("/checkpoints");
  const tab: RunTab = search.tab ?? "timeline";
  const componentName = timeline.root?.label ?? component;
  const isLoading = shown.count === 0 && followed.phase !== "failed" && !failure;
  return (
    <Page
      title={`Run of ${componentName}`}
      description={inputOf(record) ?? "One run, from its log."}
      actions={
        <>
          {status !== undefined && !isOver(status) && allows("/cancel", "POST") && (
            <Button
              variant="light"
              color="red"
              leftSection={<IconPlayerStop size={14} aria-hidden />}
              loading={cancel.isPending}
              onClick={() =>
                askToConfirm({
                  title: "Cancel this run?",
                  message:
                    "The model requests and tool calls in progress are aborted. A cancelled run cannot continue.",
                  confirm: "Cancel the run",
                  onConfirm: () => cancel.mutate(),
                })
              }
            >
              Cancel
            </Button>
          )}
          <Menu position="bottom-end" withinPortal>
            <Menu.Target>
              <Button variant="default" leftSection={<IconDots size={14} aria-hidden />}>
                More
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item leftSection={<IconCode size={14} aria-hidden />} onClick={() => setCodeOpen(true)}>
                Copy as code
              </Menu.Item>
              {mayRead && may("POST /datasets") && may("GET /datasets") && (
                <Menu.Item leftSection={<IconTablePlus size={14} aria-hidden />} onClick={() => setAdding(true)}>
                  Add to a dataset
                </Menu.Item>
              )}
              <Menu.Item
                leftSection={<IconDownload size={14} aria-hidden />}
                onClick={() => downloadJson(`run-${run}.json`, { run: record ?? null, events: shown.events })}
              >
                Download as JSON
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        </>
      }
    >
      {failure !== undefined && <ErrorPanel error={failure} onRetry={() => setAttempt(attempt + 1)} />}
      <Summary name={name} record={record} timeline={timeline} status={status} />
      <Related name={name} isOver={status !== undefined && isOver(status)} />
      {status !== undefined && isOver(status) && (
        <Stack gap="xs" align="flex-start">
          <Feedback rated={name} />
          <FeedbackList rated={name} />
        </Stack>
      )}
      <Notices
        followed={followed}
        isPaused={status === "PAUSED"}
        mayFollow={mayFollow}
        hasEvents={shown.count > 0}
        name={name}
      />
      {timeline.root?.state === "failed" && (
        <Failure
          root={timeline.root}
          refusal={refusal}
          onShow={(row) => show({ tab: undefined, row: row.id, event: undefined })}
        />
      )}
      <Tabs
        value={tab}
        onChange={(next) => show({ tab: next === "timeline" ? undefined : (next as RunTab) })}
        keepMounted={false}
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="timeline">Timeline</Tabs.Tab>
          {hasGraph && <Tabs.Tab value="graph">Graph</Tabs.Tab>}
          <Tabs.Tab value="events">Events</Tabs.Tab>
          {hasCheckpoints && <Tabs.Tab value="checkpoints">Checkpoints</Tabs.Tab>}
          {mayRead && <Tabs.Tab value="record">Record</Tabs.Tab>}
        </Tabs.List>
        <Tabs.Panel value="timeline">
          {timeline.root ? (
            <Waterfall
              timeline={{ ...timeline, root: timeline.root }}
              selected={search.row}
              onSelect={({ id }) => show({ row: id })}
            />
          ) : isLoading && mayFollow ? (
            <Skeleton height={320} radius="md" />
          ) : (
            <Text c="dimmed" size="sm">
              The run has no events to show.
            </Text>
          )}
        </Tabs.Panel>
        <Tabs.Panel value="graph">
          <Suspense fallback={<Skeleton height={360} radius="md" />}>
            <DefinitionGraph workflow={component} factsOf={factsOf} />
          </Suspense>
        </Tabs.Panel>
        <Tabs.Panel value="events">
          <EventList followed={shown} search={search} onChange={show} />
        </Tabs.Panel>
        <Tabs.Panel value="checkpoints">
          <Checkpoints
            name={name}
            mayContinue={
              allows("/continue", "POST") &&
              status !== undefined &&
              ["COMPLETED", "ERROR", "CANCELLED"].includes(status)
            }
          />
        </Tabs.Panel>
        <Tabs.Panel value="record">
          <RecordView record={record} />
        </Tabs.Panel>
      </Tabs>
      {tab === "timeline" && selected && timeline.root && (
        <Details
          row={selected}
          root={timeline.root}
          name={name}
          mayRead={mayRead}
          onClose={() => show({ row: undefined })}
          onEvent={(index) => show({ tab: "events", event: index, row: undefined, type: undefined, text: undefined })}
        />
      )}
      {tab === "events" && event && <EventDetails event={event} onClose={() => show({ event: undefined })} />}
      {isAdding && <AddToDataset run={run} component={component} onClose={() => setAdding(false)} />}
      {isCodeOpen && (
        <CodeDialog
          facts={{
            ...name,
            url: serverUrl,
            message: inputOf(record) ?? "Hello",
            needsToken: currentToken() !== undefined,
          }}
          onClose={() => setCodeOpen(false)}
        />
      )}
    </Page>
  );
}

interface FailureProps {
  readonly root: TimelineRow;
  /** The hook or the guardrail that ended the run. */
  readonly refusal: TimelineRow | undefined;
  readonly onShow: (row: TimelineRow) => void;
}

/** Why the run failed. */
function Failure({ root, refusal, onShow }: FailureProps): ReactNode {
  const { message } = refusal ?? root;
  if (!message && !refusal) return null;
  return (
    <Alert color="red" title={refusal ? `${refusal.label} refused ${refusal.detail?.split(",")[0]}` : "The run failed"}>
      <Stack gap="xs" align="flex-start">
        {message}
        {refusal && (
          <Anchor component="button" type="button" onClick={() => onShow(refusal)} {...noticeLink}>
            Show the refusal in the timeline
          </Anchor>
        )}
      </Stack>
    </Alert>
  );
}

/** The log that is shown: the followed one, or else the events in the record, which has all except the chunks of answers. */
function useShownLog(followed: Followed, record: ShownRecord | undefined): Followed {
  return useMemo(() => {
    const events = record?.events;
    if (followed.phase !== "unfollowable" || !events) return followed;
    return { ...followed, events, count: events.length, timeline: timelineOf(events) };
  }, [followed, record]);
}

function useCancel(name: RunName) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => clientRun(name).cancel(),
    onSuccess: () => {
      notifyDone("The server cancels the run.");
      return queries.invalidateQueries({ queryKey: ["runs"] });
    },
  });
}

interface NoticesProps {
  readonly followed: Followed;
  readonly isPaused: boolean;
  readonly mayFollow: boolean;
  readonly hasEvents: boolean;
  readonly name: RunName;
}

const noticeLink = { size: "sm", c: "inherit", td: "underline" } as const;

function Notices(props: NoticesProps): ReactNode {
  const { followed, isPaused, mayFollow, hasEvents, name } = props;
  const { session } = name;
  const { phase, firstAvailable } = followed;
  const may = useMay();
  if (firstAvailable > 0)
    return (
      <Alert color="yellow" title="The first events are no longer stored">
        The retention of the server removed the events before {firstAvailable}. The timeline begins there.
      </Alert>
    );
  if (phase !== "unfollowable")
    return isPaused && may("GET /runs") ? (
      <Alert color="yellow" title="The run waits for an answer">
        <Group gap="md">
          <Anchor
            component={Link}
            to={`/chat/${name.kind}/${name.component}`}
            search={{ session, run: name.run } as never}
            {...noticeLink}
          >
            Answer in the chat
          </Anchor>
          <Anchor component={Link} to="/approvals" {...noticeLink}>
            All waiting runs
          </Anchor>
        </Group>
      </Alert>
    ) : null;
  if (session === undefined)
    return (
      <Alert color="yellow" title="The session is missing">
        You may read this run with its session: add ?session=ID to the address.
      </Alert>
    );
  return (
    <Alert
      color="gray"
      title={mayFollow ? "The server does not stream this run" : "You may read this run, but not follow it"}
    >
      {hasEvents
        ? "The page shows the events of its record and reads them again every three seconds. The chunks of answers are missing."
        : "Its record has no events, because the run was not started as a stream."}
    </Alert>
  );
}

function NoSuchRun(): ReactNode {
  return (
    <NotThere title="There is no such run" message="The address names no run that you may see" to="/" screen="Home">
      It may have been deleted, or it may belong to another user.
    </NotThere>
  );
}
