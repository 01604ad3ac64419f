/** An error with what the caller can do, and the request id under which the server logged it. */
import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { toShownError } from "../api/errors.ts";
import { Id } from "./copy.tsx";

interface ErrorPanelProps {
  readonly error: unknown;
  /** Repeats what failed. */
  readonly onRetry?: (() => void) | undefined;
}

export function ErrorPanel({ error, onRetry }: ErrorPanelProps): ReactNode {
  const { title, message, advice, requestId } = toShownError(error);
  return (
    <Alert color="red" title={title} icon={<IconAlertTriangle aria-hidden />} role="alert">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{message}</Text>
        <Text size="sm">{advice}</Text>
        {requestId && (
          <Group gap="xs">
            <Text size="sm">Request id</Text>
            <Id value={requestId} label="request id" />
          </Group>
        )}
        {onRetry && (
          <Button size="xs" variant="default" onClick={onRetry}>
            Try again
          </Button>
        )}
      </Stack>
    </Alert>
  );
}
