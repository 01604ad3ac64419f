/** Suggested messages; a click sends one. */
import { Button, Group } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./chat.module.css";
import type { Chat } from "./use-chat.ts";

interface SuggestionsProps {
  readonly messages: readonly string[] | undefined;
  readonly chat: Chat;
  readonly justify?: "center" | "flex-start";
}

export function Suggestions({ messages, chat, justify = "flex-start" }: SuggestionsProps): ReactNode {
  if (!messages?.length) return null;
  return (
    <Group gap="xs" justify={justify} role="group" aria-label="Suggestions">
      {messages.map((message) => (
        <Button
          key={message}
          variant="light"
          size="xs"
          radius="xl"
          className={classes.suggestion}
          disabled={chat.sending !== undefined}
          onClick={() => void chat.send(message, [])}
        >
          {message}
        </Button>
      ))}
    </Group>
  );
}
