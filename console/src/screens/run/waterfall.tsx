/** The timeline as a waterfall: a row for each part of the run, with a bar at its time. */
import { Text, VisuallyHidden } from "@mantine/core";
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
import { isMoment, type RowKind, type RowState } from "./row-kinds.ts";
import classes from "./run.module.css";
import { type Scale, scaleOf } from "./scale.ts";
import { flatten, type Timeline, type TimelineRow } from "./timeline.ts";
import { VirtualList } from "./virtual-list.tsx";

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

interface WaterfallProps {
  readonly timeline: Timeline & { readonly root: TimelineRow };
  readonly selected: number | undefined;
  readonly onSelect: (row: TimelineRow) => void;
}

export function Waterfall({ timeline, selected, onSelect }: WaterfallProps): ReactNode {
  const now = useNow();
  const { root, lastAt = root.startedAt } = timeline;
  const end = root.endedAt ?? Math.max(now, lastAt);
  const scale = useMemo(() => scaleOf(timeline.root, end), [timeline, end]);
  const rows = useMemo(() => flatten(timeline.root), [timeline]);
  const start = useMemo(() => rows.findIndex(({ row }) => row.id === selected), [rows, selected]);
  return (
    <div>
      <div className={classes.panel}>
        <div className={classes.axis} aria-hidden>
          <span>Part</span>
          <div className={classes.ticks}>
            {scale.ticks.map(({ place, ms }) => (
              <span
                key={place}
                className={classes.tick}
                style={{ left: `${place * 100}%`, transform: `translateX(${-place * 100}%)` }}
              >
                {formatDuration(ms)}
              </span>
            ))}
          </div>
        </div>
        <VirtualList
          label="Timeline"
          rows={rows}
          keyOf={({ row }) => row.id}
          rowHeight={32}
          start={start < 0 ? undefined : start}
        >
          {({ row, depth }) => (
            <Row
              row={row}
              depth={depth}
              origin={root.startedAt}
              end={end}
              scale={scale}
              isSelected={row.id === selected}
              onSelect={onSelect}
            />
          )}
        </VirtualList>
      </div>
      {scale.isShortened && (
        <Text size="xs" c="dimmed" mt={6}>
          Long waits are drawn shorter than they were.
        </Text>
      )}
    </div>
  );
}

interface RowProps {
  readonly row: TimelineRow;
  readonly depth: number;
  readonly origin: number;
  readonly end: number;
  readonly scale: Scale;
  readonly isSelected: boolean;
  readonly onSelect: (row: TimelineRow) => void;
}

/** The indentation of rows stops at this depth, so that a phone still shows their names. */
const maxIndent = 6;

function Row({ row, depth, origin, end, scale, isSelected, onSelect }: RowProps): ReactNode {
  const { kind, label, detail, startedAt, endedAt, state, message } = row;
  const Shown = state === "refused" ? IconShieldX : icons[kind];
  const left = scale.place(startedAt);
  const width = Math.max(0, scale.place(endedAt ?? end) - left);
  const duration = formatDuration(isMoment(kind) ? startedAt - origin : (endedAt ?? end) - startedAt);
  const isLate = left + width > 0.8;
  return (
    <button type="button" className={classes.row} aria-current={isSelected} onClick={() => onSelect(row)}>
      <VisuallyHidden>{describeRow(row, origin, end)}</VisuallyHidden>
      <span className={classes.label} aria-hidden style={{ paddingInlineStart: Math.min(depth, maxIndent) * 14 }}>
        <Shown size={14} aria-hidden style={{ flex: "none" }} />
        <span className={classes.name} title={label}>
          {label}
        </span>
        {state === "refused" ? (
          <span className={classes.refusal}>{message ?? detail}</span>
        ) : (
          detail && <span className={`${classes.faint} ${classes.detail}`}>{detail}</span>
        )}
      </span>
      <span className={classes.track} aria-hidden>
        <span
          className={classes.bar}
          data-kind={kind}
          data-state={state}
          style={{ left: `${left * 100}%`, width: `${width * 100}%` }}
        />
        <span
          className={classes.time}
          style={
            isLate
              ? left > 0.2
                ? { right: `${(1 - left) * 100}%` }
                : { display: "none" }
              : { left: `${(left + width) * 100}%` }
          }
        >
          {duration}
        </span>
      </span>
    </button>
  );
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
