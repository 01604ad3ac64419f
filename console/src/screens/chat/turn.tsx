/** A message and its answer. */
import { Badge, Button, Group, Skeleton, Stack, Text, Textarea, Tooltip, VisuallyHidden } from "@mantine/core";
import { IconFile, IconGitFork, IconPencil, IconRefresh } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { RunRecord } from "@troupe/client";
import { type ReactNode, useState } from "react";
import { Copy, Id } from "../../components/copy.tsx";
import { Feedback } from "../../components/feedback.tsx";
import { openQuestions } from "../../components/questions.ts";
import { RunLink } from "../../components/run-link.tsx";
import { Tokens } from "../../components/values.tsx";
import classes from "./chat.module.css";
import { Picture } from "./composer.tsx";
import { ConnectionFailure } from "./cursor.tsx";
import { hasNoLog } from "./followed-run.ts";
import { recordQuery } from "./queries.ts";
import { Questions } from "./questions.tsx";
import { RunParts } from "./run-parts.tsx";
import { answerOf, type Fields, totalTokens } from "./run-view.ts";
import { Suggestions } from "./suggestions.tsx";
import { type Chat, type Turn, useTurnState } from "./use-chat.ts";

interface TurnProps {
  readonly turn: Turn;
  readonly chat: Chat;
  readonly isLast: boolean;
}

export function UserTurn({ turn, chat, isLast }: TurnProps): ReactNode {
  const [isEditing, setEditing] = useState(false);
  const { view } = useTurnState(turn, chat.place);
  const status = view.rootId === undefined ? "running" : view.nodes[view.rootId]?.status;
  const canEdit = chat.may.answer && chat.place.kind !== "workflow" && status !== "running" && status !== undefined;
  if (isEditing)
    return (
      <Edit turn={turn} chat={chat} canReplace={isLast && status !== "paused"} onClose={() => setEditing(false)} />
    );
  return (
    <div className={classes.user}>
      <VisuallyHidden>You:</VisuallyHidden>
      <div className={classes.bubble}>
        <Sent turn={turn} chat={chat} />
        <Text size="sm" className={classes.message}>
          {turn.message}
        </Text>
      </div>
      {canEdit && (
        <Button
          size="compact-xs"
          variant="subtle"
          color="gray"
          leftSection={<IconPencil size={12} aria-hidden />}
          onClick={() => setEditing(true)}
        >
          Edit
        </Button>
      )}
    </div>
  );
}

interface EditProps extends Omit<TurnProps, "isLast"> {
  /** Only the last answer of a session can be replaced. */
  readonly canReplace: boolean;
  readonly onClose: () => void;
}

function Edit({ turn, chat, canReplace, onClose }: EditProps): ReactNode {
  const [text, setText] = useState(turn.message);
  const send = async (fork: boolean): Promise<void> => {
    if (await chat.again(turn, { input: text, fork })) onClose();
  };
  const isUnusable = text.trim() === "" || chat.sending !== undefined;
  return (
    <Stack gap="xs" className={classes.edit}>
      <Textarea
        label="Edit the message"
        description={
          canReplace
            ? "A replaced answer leaves the conversation. A fork keeps it, and continues in a new session."
            : "A fork continues in a new session with the messages before this one."
        }
        autosize
        minRows={2}
        maxRows={12}
        value={text}
        data-autofocus
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => event.key === "Escape" && onClose()}
      />
      <Group gap="xs" justify="flex-end">
        <Button size="compact-sm" variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button
          size="compact-sm"
          variant="light"
          leftSection={<IconGitFork size={14} aria-hidden />}
          disabled={isUnusable}
          onClick={() => void send(true)}
        >
          Send in a fork
        </Button>
        {canReplace && (
          <Button size="compact-sm" disabled={isUnusable} onClick={() => void send(false)}>
            Replace the answer
          </Button>
        )}
      </Group>
    </Stack>
  );
}

export function AnswerTurn({ turn, chat, isLast }: TurnProps): ReactNode {
  const { place, may } = chat;
  const state = useTurnState(turn, place);
  const { view, connection } = state;
  const root = view.rootId === undefined ? undefined : view.nodes[view.rootId];
  const tokens = totalTokens(view);
  const answer = answerOf(view);
  const canRepeat =
    may.answer && place.kind !== "workflow" && isLast && root && root.status !== "running" && root.status !== "paused";
  // A caller who may not follow the log reads the questions in the record.
  const pause = view.pause ?? (root?.status === "paused" ? turn.record : undefined);
  return (
    <article
      className={classes.answer}
      aria-label={`Answer of ${root?.name ?? place.id}`}
      aria-busy={root?.status === "running"}
      data-run={turn.runId}
    >
      <Group gap="xs" mb={6} wrap="nowrap">
        <Text size="sm" fw={650} truncate>
          {root?.name ?? place.id}
        </Text>
        {root && root.status !== "completed" && root.status !== "running" && (
          <Badge
            size="sm"
            radius="sm"
            variant="light"
            tt="none"
            color={root.status === "error" ? "red" : root.status === "paused" ? "yellow" : "gray"}
          >
            {root.status === "error" ? "failed" : root.status}
          </Badge>
        )}
      </Group>
      {root ? (
        <RunParts view={view} node={root} />
      ) : connection === "failed" ? null : (
        <Stack gap={6} aria-label="The run starts">
          <Skeleton height={12} width="70%" />
          <Skeleton height={12} width="45%" />
        </Stack>
      )}
      {root?.status === "running" && root.items.length === 0 && <Skeleton height={12} width="45%" />}
      {!hasNoLog(state.error) && <ConnectionFailure state={state} />}
      <Stored turn={turn} chat={chat} select={(record) => record} />
      {pause && (
        <Questions
          // Another pause has other questions.
          key={view.events}
          questions={openQuestions(pause)}
          mayAnswer={may.answer}
          mayApprove={may.approve}
          onAnswer={(given) => chat.answer(turn, given)}
        />
      )}
      {isLast && may.start && root?.status === "completed" && (
        <div className={classes.followups}>
          <Suggestions messages={root.followups} chat={chat} />
        </div>
      )}
      {root && root.status !== "running" && (
        <Group gap={4} mt={6} className={classes.actions}>
          {answer !== "" && <Copy value={answer} label="answer" />}
          <Feedback
            rated={{
              ...{ kind: place.kind, component: place.id, run: turn.runId },
              session: turn.record?.session_id ?? view.sessionId ?? place.sessionId,
            }}
          />
          {canRepeat && (
            <Tooltip label="Repeat the answer. The new one replaces it.">
              <Button
                size="compact-xs"
                variant="subtle"
                color="gray"
                leftSection={<IconRefresh size={12} aria-hidden />}
                disabled={chat.sending !== undefined}
                onClick={() => void chat.again(turn, { fork: false })}
              >
                Regenerate
              </Button>
            </Tooltip>
          )}
          <RunLink
            kind={place.kind}
            component={place.id}
            run={turn.runId}
            session={turn.record?.session_id ?? view.sessionId ?? place.sessionId}
            isColoured
          >
            <Text size="xs" span>
              Timeline
            </Text>
          </RunLink>
          <Id value={turn.runId} label="run id" />
          {tokens !== undefined && (
            <Text size="xs" c="dimmed" span>
              <Tokens count={tokens} /> tokens
            </Text>
          )}
        </Group>
      )}
    </article>
  );
}

interface MediaItem {
  readonly url?: string | null;
  readonly content?: string | null;
  readonly mime_type?: string | null;
  readonly filename?: string | null;
  readonly name?: string | null;
}

/** The files of a message: as they were sent, or from the record of the run. */
function Sent({ turn, chat }: { readonly turn: Turn; readonly chat: Chat }): ReactNode {
  if (turn.files.length === 0) return <Stored turn={turn} chat={chat} select={inputOf} />;
  return (
    <div className={classes.media}>
      {turn.files.map((file) =>
        file.type.startsWith("image/") ? (
          <Picture key={file.name} file={file} large />
        ) : (
          <FileName key={file.name} name={file.name} />
        ),
      )}
    </div>
  );
}

/** The message in a record: lists and single records name it differently. */
function inputOf(record: RunRecord): Fields | undefined {
  return (record.input_media ?? record.input) as Fields | undefined;
}

interface StoredProps {
  readonly turn: Turn;
  readonly chat: Chat;
  readonly select: (record: RunRecord) => Fields | undefined;
}

/** Media in the record of a run. A list of runs omits their bytes, so that the record is read for them. */
function Stored({ turn: { runId, record }, chat, select }: StoredProps): ReactNode {
  const listed = mediaIn(record && select(record));
  const { data } = useQuery({ ...recordQuery(chat.place, runId), enabled: listed.length > 0 });
  if (listed.length === 0) return null;
  return (
    <div className={classes.media}>
      {mediaIn(data && select(data)).map((item, at) => {
        const name = item.filename ?? item.name ?? `${item.mime_type ?? "file"} ${at + 1}`;
        const source = item.content && item.mime_type ? `data:${item.mime_type};base64,${item.content}` : undefined;
        if (source && item.mime_type?.startsWith("image/"))
          return <img key={name} src={source} alt={name} className={classes.image} />;
        return <FileName key={name} name={item.url ?? name} />;
      })}
    </div>
  );
}

function mediaIn(media: Fields | undefined): readonly MediaItem[] {
  return [media?.images, media?.videos, media?.audio, media?.audios, media?.files].flatMap((list) =>
    Array.isArray(list) ? (list as readonly MediaItem[]) : [],
  );
}

function FileName({ name }: { readonly name: string }): ReactNode {
  return (
    <span className={classes.attachment}>
      <IconFile size={16} aria-hidden />
      <Text size="xs" truncate maw={240} span>
        {name}
      </Text>
    </span>
  );
}
