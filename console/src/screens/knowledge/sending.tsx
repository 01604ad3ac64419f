/** Documents that are being sent, with the bytes that are sent, and those that could not be sent. */
import { Button, CloseButton, Group, Progress, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { Section } from "../../components/section.tsx";
import { formatSize } from "../../components/values.tsx";
import classes from "./knowledge.module.css";
import { removeUpload, repeatUpload, type Upload, useUploads } from "./uploads.ts";

/** Rows that are shown at once. The others wait. */
const maxRows = 10;

export function Uploads({ base }: { readonly base: string }): ReactNode {
  const uploads = useUploads(base);
  if (uploads.length === 0) return null;
  const more = uploads.length - maxRows;
  return (
    <Section title={`Sends ${uploads.length === 1 ? "a document" : `${uploads.length} documents`}`}>
      <ul className={classes.uploads}>
        {uploads.slice(0, maxRows).map((upload) => (
          <li key={upload.id}>
            <Row upload={upload} />
          </li>
        ))}
        {more > 0 && <li>and {more} more</li>}
      </ul>
    </Section>
  );
}

function Row({ upload: { id, document, state } }: { readonly upload: Upload }): ReactNode {
  const { name, size } = document;
  return (
    <Group justify="space-between" align="flex-start" wrap="nowrap">
      <Stack gap={2} miw={0}>
        <Text size="sm" fw={500} truncate>
          {name}
        </Text>
        {size !== undefined && (
          <Text size="xs" c="dimmed">
            {formatSize(size)}
          </Text>
        )}
      </Stack>
      <Group gap="xs" wrap="nowrap" align="flex-start">
        <State id={id} document={document} state={state} />
        <CloseButton size="sm" aria-label={`Do not add ${name}`} onClick={() => removeUpload(id)} />
      </Group>
    </Group>
  );
}

function State({ id, document, state }: Pick<Upload, "id" | "document" | "state">): ReactNode {
  switch (state.phase) {
    case "waiting":
      return (
        <Text size="xs" c="dimmed">
          Waits
        </Text>
      );
    case "sending": {
      const percent = Math.floor(100 * state.part);
      const sent = document.size === undefined ? "" : ` ${formatSize(state.part * document.size)}`;
      return (
        <Stack gap={4} w={200}>
          <Progress value={percent} size="sm" aria-label={`Sent part of ${document.name}`} />
          <Text size="xs" c="dimmed">
            {percent === 100 ? "Sent; the server stores it" : `Sent${sent}, ${percent} %`}
          </Text>
        </Stack>
      );
    }
    case "failed":
      return (
        <Stack gap={4} maw={360} align="flex-start">
          <Text size="xs" c="red" role="alert">
            {state.message}
          </Text>
          <Button size="compact-xs" variant="default" onClick={() => repeatUpload(id)}>
            Send again
          </Button>
        </Stack>
      );
  }
}
