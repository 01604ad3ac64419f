/** The conversation of a session: every run with its messages. */
import { Anchor, Button, Group, SegmentedControl, Skeleton, Stack, Text } from "@mantine/core";
import { useIntersection } from "@mantine/hooks";
import { IconMessageCircle, IconPencil } from "@tabler/icons-react";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { createLazyRoute, Link } from "@tanstack/react-router";
import { type ReactNode, useEffect, useMemo, useState } from "react";
import { ApiError } from "../../api/errors.ts";
import { Id } from "../../components/copy.tsx";
import { DeleteButton } from "../../components/delete-button.tsx";
import { Empty } from "../../components/empty.tsx";
import { ErrorPanel } from "../../components/error-panel.tsx";
import { NotThere } from "../../components/not-there.tsx";
import { Page } from "../../components/page.tsx";
import { Cost, Time, Tokens } from "../../components/values.tsx";
import { useMay } from "../../session/me.ts";
import classes from "./conversation.module.css";
import {
  componentOf,
  kindOfComponent,
  type SessionFacts,
  type SessionName,
  sessionQuery,
  turnsQuery,
  useDeleteSessions,
} from "./queries.ts";
import { RenameSession } from "./rename.tsx";
import { type Place, RootTurn } from "./turn.tsx";

export const Route = createLazyRoute("/sessions/$sessionId")({ component: Conversation });

function Conversation(): ReactNode {
  const { sessionId } = Route.useParams();
  const { kind, user } = Route.useSearch();
  const name = useMemo((): SessionName => ({ id: sessionId, kind, user }), [sessionId, kind, user]);
  const { data, error, refetch } = useQuery(sessionQuery(name));
  if (error instanceof ApiError && error.status === 404) return <NoSession />;
  if (!data)
    return (
      <Page title="Session" description={error ? undefined : "Reads the conversation"}>
        {error ? <ErrorPanel error={error} onRetry={() => void refetch()} /> : <Waiting />}
      </Page>
    );
  return <Shown facts={data} name={name} />;
}

function NoSession(): ReactNode {
  return (
    <NotThere
      title="There is no such session"
      message="No session has this id, or you may not see it"
      to="/sessions"
      screen="Sessions"
    >
      It may be deleted, or it may belong to another user.
    </NotThere>
  );
}

interface ShownProps {
  readonly facts: SessionFacts;
  readonly name: SessionName;
}

function Shown({ facts, name }: ShownProps): ReactNode {
  const kind = kindOfComponent(facts);
  const component = componentOf(facts);
  const place = useMemo((): Place => ({ session: name.id, kind, component }), [name.id, kind, component]);
  const title = facts.session_name || name.id;
  return (
    <Page
      title={title}
      description={<Facts facts={facts} name={name} />}
      actions={<Actions {...{ facts, name, place }} />}
    >
      <Turns name={name} place={place} />
    </Page>
  );
}

function Facts({ facts, name }: ShownProps): ReactNode {
  const { user_id: user, total_tokens: tokens, metrics, updated_at: changed } = facts;
  return (
    <Group component="span" style={{ gap: "2px var(--mantine-spacing-md)" }}>
      <Anchor component={Link} to="/sessions" size="sm">
        All sessions
      </Anchor>
      <Id value={name.id} label="session id" />
      <span>
        {kindOfComponent(facts)} {componentOf(facts)}
      </span>
      {user && <span>user {user}</span>}
      {typeof tokens === "number" && (
        <span>
          <Tokens count={tokens} /> tokens
        </span>
      )}
      {metrics?.cost !== undefined && <Cost usd={metrics.cost} />}
      {changed && <Time value={changed} />}
    </Group>
  );
}

interface ActionsProps extends ShownProps {
  readonly place: Place;
}

function Actions({ facts, name, place: { kind, component } }: ActionsProps): ReactNode {
  const may = useMay();
  const navigate = Route.useNavigate();
  const [isRenaming, setRenaming] = useState(false);
  const deletion = useDeleteSessions();
  const session: SessionName = { ...name, kind, user: facts.user_id };
  const title = facts.session_name || name.id;
  const remove = (): void =>
    deletion.mutate([session], { onSuccess: () => void navigate({ to: "/sessions", search: {} }) });
  return (
    <>
      {may(`POST /${kind}s/{${kind}_id}/runs`, component) && (
        <Button
          component={Link}
          to={`/chat/${kind}/${component}`}
          search={{ session: name.id } as never}
          variant="light"
          leftSection={<IconMessageCircle size={14} aria-hidden />}
        >
          Continue in Chat
        </Button>
      )}
      {may("POST /sessions/{session_id}/rename") && (
        <Button variant="default" leftSection={<IconPencil size={14} aria-hidden />} onClick={() => setRenaming(true)}>
          Rename
        </Button>
      )}
      {may("DELETE /sessions") && (
        <DeleteButton
          title="Delete this session?"
          message={`"${title}" and all of its runs are deleted. Runs in progress are cancelled first.`}
          onDelete={remove}
          isPending={deletion.isPending}
        />
      )}
      {isRenaming && <RenameSession session={session} current={title} onClose={() => setRenaming(false)} />}
    </>
  );
}

interface TurnsProps {
  readonly name: SessionName;
  readonly place: Place;
}

function Turns({ name, place }: TurnsProps): ReactNode {
  const { order } = Route.useSearch();
  const navigate = Route.useNavigate();
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(
    turnsQuery(name, order),
  );
  const turns = useMemo(() => data?.pages.flatMap((page) => page.turns), [data]);
  const { ref, entry } = useIntersection({ rootMargin: "600px" });
  const isNear = entry?.isIntersecting === true;
  useEffect(() => {
    if (isNear && hasNextPage && !isFetchingNextPage && !error) void fetchNextPage();
  }, [isNear, hasNextPage, isFetchingNextPage, error, fetchNextPage]);
  if (!turns) return error ? <ErrorPanel error={error} onRetry={() => void refetch()} /> : <Waiting />;
  if (turns.length === 0 && !hasNextPage)
    return (
      <Empty icon={IconMessageCircle} title="No runs yet">
        The conversation begins with the first run of the session.
      </Empty>
    );
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Text size="sm" c="dimmed" role="status">
          {turns.length} {turns.length === 1 ? "run" : "runs"}
          {hasNextPage ? ", and more" : ""}
        </Text>
        <SegmentedControl
          size="xs"
          aria-label="Order of the runs"
          data={[
            { value: "asc", label: "Oldest first" },
            { value: "desc", label: "Newest first" },
          ]}
          value={order ?? "asc"}
          onChange={(next) =>
            void navigate({
              search: (before) => ({ ...before, order: next === "desc" ? next : undefined }),
              replace: true,
            })
          }
        />
      </Group>
      {turns.map((turn) => (
        <RootTurn key={turn.run.run_id} turn={turn} place={place} />
      ))}
      {error && <ErrorPanel error={error} onRetry={() => void fetchNextPage()} />}
      {hasNextPage && (
        <Group justify="center">
          <Button variant="default" size="xs" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show more runs
          </Button>
        </Group>
      )}
      <div ref={ref} className={classes.end} />
    </Stack>
  );
}

function Waiting(): ReactNode {
  return (
    <Stack>
      {["1", "2", "3"].map((key) => (
        <Skeleton key={key} height={160} radius="md" />
      ))}
    </Stack>
  );
}
