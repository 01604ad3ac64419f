/** The raw events of the log, with their indices. */
import { Group, Select, Switch, Text } from "@mantine/core";
import { IconListDetails } from "@tabler/icons-react";
import { type ReactNode, useDeferredValue, useMemo, useState } from "react";
import { Empty } from "../../components/empty.tsx";
import { FilterInput } from "../../components/filter-input.tsx";
import { formatDuration } from "../../components/values.tsx";
import type { Followed } from "./follow.ts";
import type { LogEvent } from "./log-event.ts";
import classes from "./run.module.css";
import type { RunSearch } from "./search.ts";
import { isVoid } from "./timeline.ts";
import { VirtualList } from "./virtual-list.tsx";

interface EventListProps {
  readonly followed: Followed;
  readonly search: RunSearch;
  readonly onChange: (change: Partial<RunSearch>) => void;
}

export function EventList({ followed, search, onChange }: EventListProps): ReactNode {
  const { events, count, timeline, phase } = followed;
  const [sticks, setSticks] = useState(search.event === undefined);
  const isLive = phase === "live" || phase === "loading";
  const shownCount = useDeferredValue(count);
  const names = useMemo(() => namesIn(events, shownCount), [events, shownCount]);
  const rows = useMemo(
    () => matching(events, shownCount, search.type, search.text),
    [events, shownCount, search.type, search.text],
  );
  const start = useMemo(() => rows.findIndex(({ event_index }) => event_index === search.event), [rows, search.event]);
  const origin = timeline.root?.startedAt;
  return (
    <div>
      <Group align="flex-end" gap="sm" mb="sm">
        <FilterInput
          label="Search"
          placeholder="Any text in an event"
          value={search.text}
          onChange={(text) => onChange({ text })}
        />
        <Select
          label="Type"
          placeholder="All types"
          data={names.map(([name, number]) => ({ value: name, label: `${name} (${number})` }))}
          value={search.type ?? null}
          onChange={(type) => onChange({ type: type ?? undefined })}
          clearable
          searchable
          w={260}
        />
        {isLive && (
          <Switch
            label="Stay at the newest event"
            checked={sticks}
            onChange={(event) => setSticks(event.currentTarget.checked)}
            mb={8}
          />
        )}
        <Text size="sm" c="dimmed" mb={8} role="status">
          {rows.length === shownCount
            ? `${numbers.format(shownCount)} events`
            : `${numbers.format(rows.length)} of ${numbers.format(shownCount)} events`}
        </Text>
      </Group>
      {rows.length === 0 ? (
        <Empty icon={IconListDetails} title={count === 0 ? "No events yet" : "No event matches the filters"}>
          {count === 0 ? "The run has emitted nothing so far." : "The search looks for the text in the whole event."}
        </Empty>
      ) : (
        <div className={classes.panel}>
          <VirtualList
            label="Events"
            rows={rows}
            keyOf={({ event_index }) => event_index}
            rowHeight={30}
            start={start < 0 ? undefined : start}
            sticksToEnd={sticks && isLive}
          >
            {(event) => (
              <button
                type="button"
                className={classes.event}
                aria-current={event.event_index === search.event}
                data-void={isVoid(event, timeline.voids)}
                onClick={() => onChange({ event: event.event_index })}
              >
                <span className={classes.index}>{event.event_index}</span>
                <span className={classes.name}>{event.event}</span>
                <span className={`${classes.name} ${classes.faint} ${classes.preview}`}>{previewOf(event)}</span>
                <span className={classes.index}>
                  {origin !== undefined && event.created_at_ms !== undefined
                    ? formatDuration(event.created_at_ms - origin)
                    : ""}
                </span>
              </button>
            )}
          </VirtualList>
        </div>
      )}
    </div>
  );
}

const numbers = new Intl.NumberFormat("en");

/** Names of the events with their numbers, by name. */
function namesIn(events: readonly LogEvent[], count: number): readonly (readonly [string, number])[] {
  const numbersOf = new Map<string, number>();
  for (let at = 0; at < count; at++) {
    const name = events[at]?.event ?? "";
    numbersOf.set(name, (numbersOf.get(name) ?? 0) + 1);
  }
  return [...numbersOf].sort(([one], [other]) => one.localeCompare(other));
}

const texts = new WeakMap<LogEvent, string>();

/** The event as a text in lower case. It is made once: a search looks at all events with every key. */
function textOf(event: LogEvent): string {
  const known = texts.get(event);
  if (known !== undefined) return known;
  const text = JSON.stringify(event).toLowerCase();
  texts.set(event, text);
  return text;
}

function matching(events: readonly LogEvent[], count: number, type?: string, text?: string): readonly LogEvent[] {
  const all = events.slice(0, count);
  if (type === undefined && text === undefined) return all;
  const wanted = text?.toLowerCase();
  return all.filter(
    (event) => (type === undefined || event.event === type) && (wanted === undefined || textOf(event).includes(wanted)),
  );
}

/** What differs between events of the same name. */
function previewOf(event: LogEvent): string {
  const { content, tool, error, reason, step_name, model, agent_name, team_name, workflow_name } = event;
  const who = agent_name ?? team_name ?? workflow_name;
  const what =
    (tool?.tool_name && `${tool.tool_name}(${JSON.stringify(tool.tool_args ?? {})})`) ??
    error ??
    reason ??
    (typeof content === "string" ? content : content === undefined ? undefined : JSON.stringify(content)) ??
    step_name ??
    model;
  return [who, what?.slice(0, 200)].filter(Boolean).join(" · ");
}
