/** The state of a document's ingestion, with its progress while it is running. */
import { Button, Group, Progress, Stack, Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect } from "react";
import { StatusBadge } from "../../components/values.tsx";
import { meQuery, useMay } from "../../session/me.ts";
import { type Document, progressQuery, useCancel, useRetry } from "./queries.ts";

interface IngestionProps {
  readonly base: string;
  readonly document: Document;
  /** Shows the reason of a failure as a whole. Default: its first lines. */
  readonly isWhole?: boolean;
}

export function Ingestion({ base, document, isWhole = false }: IngestionProps): ReactNode {
  const { id, status, status_message: message } = document;
  const { onRetry, onCancel } = useIngestionActions(base, document);
  if (status === "processing") return <Running base={base} id={id} name={document.name ?? id} onCancel={onCancel} />;
  return (
    <Stack gap={4} align="flex-start">
      <Group gap="xs">
        <StatusBadge status={status ?? "completed"} />
        {onRetry && (
          <Button size="compact-xs" variant="default" onClick={onRetry} aria-label={`Retry ${document.name ?? id}`}>
            Retry
          </Button>
        )}
      </Group>
      {status === "failed" && message && (
        <Text size="xs" c="dimmed" maw={360} {...(isWhole ? {} : { lineClamp: 2, title: message })}>
          {message}
        </Text>
      )}
    </Stack>
  );
}

interface RunningProps {
  readonly base: string;
  readonly id: string;
  readonly name: string;
  readonly onCancel: (() => void) | undefined;
}

function Running({ base, id, name, onCancel }: RunningProps): ReactNode {
  const queries = useQueryClient();
  const { data } = useQuery(progressQuery(base, id));
  const isOver = data !== undefined && data.status !== "processing";
  useEffect(() => {
    if (isOver) void queries.invalidateQueries({ queryKey: ["knowledge"] });
  }, [isOver, queries]);
  const { embedded, total } = { embedded: data?.embedded ?? 0, total: data?.total ?? 0 };
  const part = total > 0 ? (100 * embedded) / total : 0;
  return (
    <Stack gap={4} maw={240}>
      <Group gap="xs" wrap="nowrap">
        <StatusBadge status="processing" />
        {onCancel && (
          <Button size="compact-xs" variant="default" onClick={onCancel} aria-label={`Cancel ${name}`}>
            Cancel
          </Button>
        )}
      </Group>
      <Progress value={part} size="sm" aria-label={`Progress of ${name}`} />
      <Text size="xs" c="dimmed">
        {total > 0 ? `${embedded} of ${total} chunks embedded` : "Reads the document"}
      </Text>
    </Stack>
  );
}

/** Whether the caller may change a document: one that is shared by all belongs to callers who see the data of all users. */
export function useMayChange(): (document: Document) => boolean {
  const { data: me } = useQuery(meQuery);
  return ({ user_id: owner }) => me !== undefined && (me.sees_only_own !== true || owner === me.user_id);
}

interface IngestionActions {
  /** Undefined unless the ingestion failed, and for callers who may not. The bytes of a complete document are not kept. */
  readonly onRetry: (() => void) | undefined;
  /** Undefined unless the document is being ingested, and for callers who may not. */
  readonly onCancel: (() => void) | undefined;
}

export function useIngestionActions(base: string, document: Document): IngestionActions {
  const may = useMay();
  const mayChange = useMayChange()(document);
  const { mutate: retry } = useRetry(base);
  const { mutate: cancel } = useCancel(base);
  const isRunning = document.status === "processing";
  const mayRetry = mayChange && document.status === "failed" && may("POST /knowledge/content/{content_id}/retry");
  const mayCancel = mayChange && isRunning && may("POST /knowledge/content/{content_id}/cancel");
  return {
    onRetry: mayRetry ? () => retry(document.id) : undefined,
    onCancel: mayCancel ? () => cancel(document.id) : undefined,
  };
}
