/** The conversation: its messages, and the input below them. */
import {
  AssistantRuntimeProvider,
  type ThreadMessageLike,
  ThreadPrimitive,
  useAuiState,
  useExternalStoreRuntime,
} from "@assistant-ui/react";
import { ActionIcon, Skeleton, Stack, Text } from "@mantine/core";
import { IconArrowDown, IconMessageCircle } from "@tabler/icons-react";
import { createContext, type ReactNode, useContext, useMemo, useState } from "react";
import { Empty } from "../../components/empty.tsx";
import { ErrorPanel } from "../../components/error-panel.tsx";
import { attachments, filesOf, textOf } from "./attachments.ts";
import classes from "./chat.module.css";
import { Composer } from "./composer.tsx";
import { Suggestions } from "./suggestions.tsx";
import { AnswerTurn, UserTurn } from "./turn.tsx";
import type { Chat, Turn } from "./use-chat.ts";

interface ThreadProps {
  readonly chat: Chat;
  readonly name: string;
  readonly isRunning: boolean;
  readonly emptyCommand: string;
  /** Messages to begin with. */
  readonly prompts: readonly string[] | undefined;
}

/** A message of the library: it names its turn, and the turn has everything else. */
interface ChatMessage {
  readonly id: string;
  readonly role: "user" | "assistant";
  readonly text: string;
}

const Shown = createContext<{ readonly chat: Chat; readonly byId: ReadonlyMap<string, Turn> } | undefined>(undefined);

export function Thread({ chat, name, isRunning, emptyCommand, prompts }: ThreadProps): ReactNode {
  const { turns, sending, may } = chat;
  const [restored, setRestored] = useState<{ readonly text: string }>();
  const messages = useMemo(() => {
    const shown = turns.flatMap(({ runId, message }): ChatMessage[] => [
      { id: `${runId}/message`, role: "user", text: message },
      { id: runId, role: "assistant", text: "" },
    ]);
    return sending === undefined ? shown : [...shown, { id: "sending", role: "user" as const, text: sending }];
  }, [turns, sending]);
  const runtime = useExternalStoreRuntime<ChatMessage>({
    messages,
    convertMessage: toLibraryMessage,
    isRunning,
    isDisabled: !may.start || sending !== undefined,
    adapters: { attachments },
    onNew: async (message) => {
      const text = textOf(message);
      if (!(await chat.send(text, filesOf(message)))) setRestored({ text });
    },
    onCancel: async () => {},
  });
  const byId = useMemo(
    () => new Map(turns.flatMap((turn) => [[turn.runId, turn] as const, [`${turn.runId}/message`, turn] as const])),
    [turns],
  );
  const last = turns.at(-1);
  return (
    <AssistantRuntimeProvider runtime={runtime}>
      <Shown value={{ chat, byId }}>
        <ThreadPrimitive.Root className={classes.thread}>
          <ThreadPrimitive.Viewport
            className={classes.viewport}
            tabIndex={0}
            role="log"
            aria-label="Conversation"
            aria-live="off"
          >
            {chat.error && turns.length === 0 ? <ErrorPanel error={chat.error} onRetry={chat.refetch} /> : null}
            {chat.isLoading && turns.length === 0 && (
              <Stack gap="md" aria-label="The conversation loads">
                <Skeleton height={40} width="50%" ml="auto" />
                <Skeleton height={90} width="80%" />
              </Stack>
            )}
            {!chat.isLoading && !chat.error && messages.length === 0 && (
              <Empty
                icon={IconMessageCircle}
                title={`Talk to ${name}`}
                command={emptyCommand}
                action={may.start && <Suggestions messages={prompts} chat={chat} justify="center" />}
              >
                {may.start
                  ? "Write a message below, or start a run from a terminal."
                  : "There is no run in this session. You may read runs, but not start them."}
              </Empty>
            )}
            <ThreadPrimitive.Messages components={{ UserMessage, AssistantMessage }} />
            <ThreadPrimitive.ScrollToBottom asChild>
              <ActionIcon
                className={classes.toBottom}
                variant="default"
                radius="xl"
                aria-label="Scroll to the newest message"
              >
                <IconArrowDown size={16} aria-hidden />
              </ActionIcon>
            </ThreadPrimitive.ScrollToBottom>
          </ThreadPrimitive.Viewport>
          {may.start && (
            <Composer
              label={`Message to ${name}`}
              isRunning={isRunning}
              isSending={sending !== undefined}
              onStop={may.cancel && last ? () => void chat.cancel(last) : undefined}
              restored={restored}
            />
          )}
        </ThreadPrimitive.Root>
      </Shown>
    </AssistantRuntimeProvider>
  );
}

function UserMessage(): ReactNode {
  const shown = useTurn();
  if (!shown) return <Sending />;
  return <UserTurn {...shown} />;
}

function AssistantMessage(): ReactNode {
  const shown = useTurn();
  return shown ? <AnswerTurn {...shown} /> : null;
}

/** A message whose run the server has not accepted yet. */
function Sending(): ReactNode {
  const { sending } = useContext(Shown)?.chat ?? {};
  return (
    <div className={classes.user} aria-busy>
      <div className={classes.bubble}>
        <Text size="sm" className={classes.message}>
          {sending}
        </Text>
      </div>
    </div>
  );
}

function useTurn(): { readonly turn: Turn; readonly chat: Chat; readonly isLast: boolean } | undefined {
  const id = useAuiState(({ message }) => message.id);
  const shown = useContext(Shown);
  const turn = shown?.byId.get(id);
  return turn && shown && { turn, chat: shown.chat, isLast: shown.chat.turns.at(-1) === turn };
}

function toLibraryMessage({ id, role, text }: ChatMessage): ThreadMessageLike {
  return { id, role, content: [{ type: "text", text }] };
}
