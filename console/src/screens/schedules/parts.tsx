/** Parts that the list and the page of one schedule share. */
import { Badge, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { StatusBadge } from "../../components/values.tsx";
import { componentOf } from "./form-values.ts";
import type { Schedule } from "./queries.ts";

/** Marks a schedule that the code of the platform defines. */
export function CodeBadge(): ReactNode {
  return (
    <Badge variant="outline" color="gray" radius="sm" tt="none" size="sm">
      in code
    </Badge>
  );
}

/** The state of a schedule, with the reason for which the server has disabled it. */
export function State({ schedule }: { readonly schedule: Schedule }): ReactNode {
  const { enabled, disabled_reason: reason } = schedule;
  return (
    <Stack gap={2} align="flex-start">
      <StatusBadge status={enabled ? "enabled" : "paused"} />
      {!enabled && reason && (
        <Text size="xs" maw={220}>
          {reason}
        </Text>
      )}
    </Stack>
  );
}

/** What a schedule calls, in a few words. */
export function targetOf(schedule: Schedule): string {
  const component = componentOf(schedule);
  return component ? `${component.kind} ${component.id}` : `${schedule.method} ${schedule.endpoint}`;
}
