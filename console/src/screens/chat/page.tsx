import { Alert, Anchor, Button, Group, Select } from "@mantine/core";
import { IconGitFork, IconPlus } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { createLazyRoute, Link, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useCallback, useEffect, useMemo, useState } from "react";
import { api } from "../../api/client.ts";
import { type ComponentKind, componentKinds, isComponentKind } from "../../api/component-kinds.ts";
import { useComponents } from "../../api/components.ts";
import { serverUrl } from "../../api/places.ts";
import { notifyDone, notifyError } from "../../api/queries.ts";
import { Page } from "../../components/page.tsx";
import { useMay } from "../../session/me.ts";
import { NotFound } from "../../shell/not-found.tsx";
import classes from "./chat.module.css";
import { Cursor } from "./cursor.tsx";
import type { Place } from "./followed-run.ts";
import { promptsQuery, turnsQuery } from "./queries.ts";
import { Thread } from "./thread.tsx";
import { type Turn, useChat, useTurnState } from "./use-chat.ts";

export const Route = createLazyRoute("/chat/$kind/$id")({ component: ChatPage });

function ChatPage(): ReactNode {
  const { kind, id } = Route.useParams();
  if (!isComponentKind(kind)) return <NotFound />;
  return <ChatOf key={`${kind}/${id}`} kind={kind} id={id} />;
}

function ChatOf({ kind, id }: { readonly kind: ComponentKind; readonly id: string }): ReactNode {
  const { session, run, version } = Route.useSearch();
  const navigate = Route.useNavigate();
  const place = useMemo((): Place => ({ kind, id, sessionId: session }), [kind, id, session]);
  const onRun = useCallback(
    (runId: string, sessionId: string | undefined) => {
      void navigate({ search: { session: sessionId, run: runId, version }, replace: sessionId === session });
    },
    [navigate, session, version],
  );
  const chat = useChat(place, { current: run, version }, onRun);
  const component = useComponent(kind, id);
  const may = useMay();
  const { data: prompts } = useQuery({ ...promptsQuery(id), enabled: may("GET /config") });
  const current = chat.turns.find(({ runId }) => runId === run) ?? chat.turns.at(-1);
  const name = component?.name ?? id;
  const isRunning = useIsRunning(chat.turns.at(-1), place);
  return (
    <div className={classes.page}>
      <Page
        title={name}
        description={component?.description}
        actions={
          <>
            <ComponentChoice kind={kind} id={id} />
            {session !== undefined && (
              <>
                <ForkSession place={place} />
                <Button
                  variant="default"
                  size="sm"
                  aria-label="New chat"
                  leftSection={<IconPlus size={14} aria-hidden />}
                  onClick={() => void navigate({ search: { version } })}
                >
                  New<span className={classes.wide}>&nbsp;chat</span>
                </Button>
              </>
            )}
          </>
        }
      >
        <div className={classes.chat}>
          {version !== undefined && <TriedVersion kind={kind} id={id} version={version} />}
          {current?.followed && <Cursor followed={current.followed} />}
          <Thread
            chat={chat}
            name={name}
            isRunning={isRunning}
            emptyCommand={`curl -N ${serverUrl}/${kind}s/${id}/runs -d message=Hello`}
            prompts={prompts}
          />
        </div>
      </Page>
    </div>
  );
}

/** The version that the messages of this page start runs of. */
function TriedVersion({
  kind,
  id,
  version,
}: {
  readonly kind: ComponentKind;
  readonly id: string;
  readonly version: number;
}): ReactNode {
  return (
    <Alert color="blue" py={6} title={`You try version ${version}`}>
      <Group gap="md">
        <Anchor component={Link} to={`/components/${kind}/${id}`} size="sm">
          Back to the versions
        </Anchor>
        <Anchor component={Link} to={`/chat/${kind}/${id}`} search={{} as never} size="sm">
          Chat with the version in use
        </Anchor>
      </Group>
    </Alert>
  );
}

/** Whether the last run is in progress. When it ends, its record is read. */
function useIsRunning(turn: Turn | undefined, place: Place): boolean {
  const queries = useQueryClient();
  const { view, connection } = useTurnState(turn ?? noTurn, place);
  const status = view.rootId === undefined ? undefined : view.nodes[view.rootId]?.status;
  const isLoading = status === undefined && !hasEnded(turn?.record?.status);
  const isRunning = turn !== undefined && connection !== "failed" && (isLoading || status === "running");
  const [wasRunning, setWasRunning] = useState(isRunning);
  useEffect(() => {
    if (wasRunning && !isRunning) void queries.invalidateQueries({ queryKey: turnsQuery(place).queryKey });
    setWasRunning(isRunning);
  }, [wasRunning, isRunning, queries, place]);
  return isRunning;
}

/** Whether a record says that its run no longer works, before its log is read. */
function hasEnded(status: string | undefined): boolean {
  return status !== undefined && status !== "RUNNING" && status !== "PENDING";
}

const noTurn: Turn = { runId: "", message: "", files: [], record: undefined, followed: undefined };

function useComponent(kind: ComponentKind, id: string) {
  return useComponents().components.find((one) => one.kind === kind && one.id === id);
}

/** Opens a chat with another component. */
function ComponentChoice({ kind, id }: { readonly kind: ComponentKind; readonly id: string }): ReactNode {
  const navigate = useNavigate();
  const { components } = useComponents();
  const data = componentKinds.flatMap((one) => {
    const items = components
      .filter((component) => component.kind === one)
      .map((component) => ({ value: `${one}/${component.id}`, label: component.name }));
    return items.length === 0 ? [] : [{ group: `${one[0]?.toUpperCase()}${one.slice(1)}s`, items }];
  });
  return (
    <Select
      aria-label="Component"
      data={data}
      value={`${kind}/${id}`}
      w={{ base: 150, sm: 190 }}
      searchable
      allowDeselect={false}
      comboboxProps={{ withinPortal: true }}
      onChange={(value) => {
        const [nextKind = kind, ...rest] = (value ?? "").split("/");
        if (value) void navigate({ to: "/chat/$kind/$id", params: { kind: nextKind, id: rest.join("/") }, search: {} });
      }}
    />
  );
}

/** Copies the session into a new one, and opens it. */
function ForkSession({ place: { kind, id, sessionId } }: { readonly place: Place }): ReactNode {
  const may = useMay();
  const navigate = useNavigate();
  const [isForking, setForking] = useState(false);
  if (kind === "workflow" || sessionId === undefined) return null;
  const route = kind === "agent" ? agentFork : teamFork;
  if (!may(`POST ${route}`, id)) return null;
  const fork = async (): Promise<void> => {
    setForking(true);
    try {
      const { data } = await (kind === "agent"
        ? api.POST(agentFork, { params: { path: { agent_id: id, session_id: sessionId } } })
        : api.POST(teamFork, { params: { path: { team_id: id, session_id: sessionId } } }));
      const { session_id: session } = data as { session_id: string };
      notifyDone("This is the copy. The original session stays as it is.");
      void navigate({ to: "/chat/$kind/$id", params: { kind, id }, search: { session } });
    } catch (error) {
      notifyError(error);
    } finally {
      setForking(false);
    }
  };
  return (
    <Button
      variant="default"
      size="sm"
      loading={isForking}
      aria-label="Fork session"
      leftSection={<IconGitFork size={14} aria-hidden />}
      onClick={() => void fork()}
    >
      Fork<span className={classes.wide}>&nbsp;session</span>
    </Button>
  );
}

const agentFork = "/agents/{agent_id}/sessions/{session_id}/fork";
const teamFork = "/teams/{team_id}/sessions/{session_id}/fork";
