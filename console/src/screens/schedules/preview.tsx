/** The next ticks of a schedule, in its own time zone and in the caller's. */
import { Alert, Stack, Table, Text } from "@mantine/core";
import { IconClock } from "@tabler/icons-react";
import { type ReactNode, useMemo } from "react";
import { useNow } from "../../components/values.tsx";
import { localZone, nextTicks, offsetAt, once } from "./cron.ts";
import classes from "./schedules.module.css";

interface PreviewProps {
  readonly cronExpr: string;
  readonly timezone: string;
  /** The only tick of `@once`, in seconds; undefined if it is not chosen. */
  readonly runAt: number | undefined;
  /** The end of the schedule, in seconds. */
  readonly endsAt: number | undefined;
}

const shownTicks = 10;
/** The ticks are computed again when this many milliseconds have passed. */
const renewal = 10_000;

export function CronPreview({ cronExpr, timezone, runAt, endsAt }: PreviewProps): ReactNode {
  const now = Math.floor(useNow() / renewal) * renewal;
  const preview = useMemo(() => {
    if (cronExpr.trim() === once) return { ticks: runAt === undefined ? [] : [new Date(runAt * 1000)] };
    return nextTicks(cronExpr, timezone, new Date(now), shownTicks);
  }, [cronExpr, timezone, runAt, now]);
  if ("fault" in preview) {
    return (
      <Text size="sm" c="dimmed">
        {preview.fault}
      </Text>
    );
  }
  const ticks = preview.ticks.filter((tick) => endsAt === undefined || tick.getTime() <= endsAt * 1000);
  if (ticks.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        The schedule has no tick after now.
      </Text>
    );
  }
  const offsets = ticks.map((tick) => offsetAt(tick, timezone));
  const change = offsets.findIndex((offset, place) => place > 0 && offset !== offsets[place - 1]);
  const isLocal = timezone === localZone;
  return (
    <Stack gap="xs">
      {change > 0 && (
        <Alert color="blue" icon={<IconClock aria-hidden />} p="xs">
          The clocks of {timezone} change between tick {change} and tick {change + 1}: from {offsets[change - 1]} to{" "}
          {offsets[change]}.
        </Alert>
      )}
      <div className={classes.scroll}>
        <Table aria-label="Next ticks" verticalSpacing={4} className={classes.ticks}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{timezone}</Table.Th>
              {!isLocal && <Table.Th>Your time ({localZone})</Table.Th>}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {ticks.map((tick, place) => (
              <Table.Tr key={tick.getTime()}>
                <Table.Td>
                  {formatIn(tick, timezone)}{" "}
                  <Text span size="xs" c="dimmed">
                    {offsets[place]}
                  </Text>
                </Table.Td>
                {!isLocal && <Table.Td>{formatIn(tick, localZone)}</Table.Td>}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
    </Stack>
  );
}

function formatIn(time: Date, timeZone: string): string {
  return new Intl.DateTimeFormat(undefined, {
    timeZone,
    weekday: "short",
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
    second: time.getUTCSeconds() === 0 ? undefined : "2-digit",
    hourCycle: "h23",
  }).format(time);
}
