/** The timeline as a waterfall: a row for each part of the run, with a bar at its time. */
import { Text } from "@mantine/core";
import {
  type Icon,
  IconArrowsExchange,
  IconBrain,
  IconHourglass,
  IconInfoCircle,
  IconListDetails,
  IconPlayerPlay,
  IconRoute,
  IconShieldCheck,
  IconShieldX,
  IconTool,
} from "@tabler/icons-react";
import { type ReactNode, useMemo } from "react";
import { formatDuration, useNow } from "../../components/values.tsx";
import { Waterfall, type WaterfallRow } from "../../components/waterfall/waterfall.tsx";
import { isMoment, type RowKind, type RowState } from "./row-kinds.ts";
import { scaleOf } from "./scale.ts";
import { flatten, type Timeline, type TimelineRow } from "./timeline.ts";

const icons: Readonly<Record<RowKind, Icon>> = {
  run: IconPlayerPlay,
  step: IconRoute,
  model: IconBrain,
  tool: IconTool,
  wait: IconHourglass,
  takeover: IconArrowsExchange,
  hook: IconShieldCheck,
  stage: IconListDetails,
  note: IconInfoCircle,
};

const kindNames: Readonly<Record<RowKind, string>> = {
  run: "Run",
  step: "Step",
  model: "Model request",
  tool: "Tool call",
  wait: "Wait",
  takeover: "Takeover",
  hook: "Hook",
  stage: "Stage",
  note: "Note",
};

const stateNames: Readonly<Record<RowState, string>> = {
  running: "in progress",
  done: "completed",
  failed: "failed",
  waiting: "waiting",
  cancelled: "cancelled",
  cut: "cut off by the end of its process",
  refused: "refused",
};

interface RunWaterfallProps {
  readonly timeline: Timeline & { readonly root: TimelineRow };
  readonly selected: number | undefined;
  readonly onSelect: (id: number) => void;
}

export function RunWaterfall({ timeline, selected, onSelect }: RunWaterfallProps): ReactNode {
  const now = useNow();
  const { root, lastAt = root.startedAt } = timeline;
  const end = root.endedAt ?? Math.max(now, lastAt);
  const scale = useMemo(() => scaleOf(timeline.root, end), [timeline, end]);
  const rows = useMemo(
    () => flatten(timeline.root).map(({ row }) => toRow(row, timeline.root.startedAt, end)),
    [timeline, end],
  );
  return (
    <div>
      <Waterfall
        label="Timeline"
        head="Part"
        rows={rows}
        now={end}
        scale={scale}
        selected={selected === undefined ? undefined : String(selected)}
        onSelect={(id) => onSelect(Number(id))}
        maxHeight={Math.min(0.68 * window.innerHeight, 900)}
      />
      {scale.isShortened && (
        <Text size="xs" c="dimmed" mt={6}>
          Long waits are drawn shorter than they were.
        </Text>
      )}
    </div>
  );
}

function toRow(row: TimelineRow, origin: number, end: number): WaterfallRow {
  const { id, parent, kind, label, detail, startedAt, endedAt, state, message } = row;
  return {
    id: String(id),
    parentId: parent ? String(parent.id) : null,
    name: label,
    kind: detail ?? "",
    tone: kind,
    start: startedAt,
    end: endedAt ?? null,
    state: state === "running" ? "live" : state === "refused" ? "failed" : state,
    icon: state === "refused" ? IconShieldX : icons[kind],
    warning: state === "refused" ? (message ?? "refused") : undefined,
    description: describeRow(row, origin, end),
    isMoment: isMoment(kind),
  };
}

/** The row in words. */
export function describeRow(row: TimelineRow, origin: number, end: number): string {
  const { kind, label, detail, startedAt, endedAt, state, usage, message } = row;
  const begins = `begins after ${formatDuration(startedAt - origin)}`;
  const takes = isMoment(kind) ? [] : [`takes ${formatDuration((endedAt ?? end) - startedAt)}`];
  const tokens = usage ? [`${usage.inputTokens} input tokens, ${usage.outputTokens} output tokens`] : [];
  const what = detail === undefined ? label : `${label} (${detail})`;
  const reason = state === "refused" && message ? [`because ${message}`] : [];
  return [`${kindNames[kind]} ${what}`, stateNames[state], ...reason, begins, ...takes, ...tokens].join(", ");
}

export { kindNames, stateNames };
