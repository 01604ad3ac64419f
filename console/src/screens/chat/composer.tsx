/** The input of a chat: text, files, send and stop. */
import { AttachmentPrimitive, ComposerPrimitive, useAui, useAuiState } from "@assistant-ui/react";
import { ActionIcon, Button, CloseButton, Group, Text } from "@mantine/core";
import { IconFile, IconPaperclip, IconPhoto, IconPlayerStopFilled, IconSend2 } from "@tabler/icons-react";
import { type ReactNode, useEffect, useState } from "react";
import classes from "./chat.module.css";

interface ComposerProps {
  readonly label: string;
  readonly isRunning: boolean;
  readonly isSending: boolean;
  readonly onStop: (() => void) | undefined;
  /** A text that a rejected start gives back. */
  readonly restored: { readonly text: string } | undefined;
}

export function Composer({ label, isRunning, isSending, onStop, restored }: ComposerProps): ReactNode {
  const aui = useAui();
  const isEmpty = useAuiState(({ composer }) => composer.isEmpty);
  useEffect(() => {
    if (restored) aui.composer().setText(restored.text);
  }, [restored, aui]);
  return (
    <ComposerPrimitive.Root className={classes.composer}>
      <div className={classes.attached}>
        <ComposerPrimitive.Attachments>{() => <Attached />}</ComposerPrimitive.Attachments>
      </div>
      <ComposerPrimitive.Input
        className={classes.input}
        placeholder={label}
        aria-label={label}
        minRows={1}
        maxRows={10}
        autoFocus
      />
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <ComposerPrimitive.AddAttachment asChild multiple>
          <ActionIcon variant="subtle" color="gray" size="lg" aria-label="Attach files">
            <IconPaperclip size={18} aria-hidden />
          </ActionIcon>
        </ComposerPrimitive.AddAttachment>
        <Text size="xs" c="dimmed" visibleFrom="sm" className={classes.hint}>
          Enter sends, Shift+Enter adds a line
        </Text>
        {isRunning && onStop ? (
          <Button
            size="sm"
            color="red"
            variant="light"
            leftSection={<IconPlayerStopFilled size={14} aria-hidden />}
            onClick={onStop}
          >
            Stop
          </Button>
        ) : (
          <Button
            type="submit"
            size="sm"
            leftSection={<IconSend2 size={16} aria-hidden />}
            disabled={isEmpty || isRunning}
            loading={isSending}
          >
            Send
          </Button>
        )}
      </Group>
    </ComposerPrimitive.Root>
  );
}

function Attached(): ReactNode {
  const name = useAuiState(({ attachment }) => attachment.name);
  const file = useAuiState(({ attachment }) => attachment.file);
  const isImage = file?.type.startsWith("image/") === true;
  return (
    <AttachmentPrimitive.Root className={classes.attachment}>
      {isImage && file ? (
        <Picture file={file} />
      ) : isImage ? (
        <IconPhoto size={16} aria-hidden />
      ) : (
        <IconFile size={16} aria-hidden />
      )}
      <Text size="xs" truncate maw={180}>
        {name}
      </Text>
      <AttachmentPrimitive.Remove asChild>
        <CloseButton size="xs" aria-label={`Remove ${name}`} />
      </AttachmentPrimitive.Remove>
    </AttachmentPrimitive.Root>
  );
}

/** A picture of a file that is not sent yet, or was just sent. */
export function Picture({ file, large = false }: { readonly file: File; readonly large?: boolean }): ReactNode {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    const made = URL.createObjectURL(file);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [file]);
  return url ? <img src={url} alt={file.name} className={large ? classes.image : classes.thumbnail} /> : null;
}
