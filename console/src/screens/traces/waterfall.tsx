/** Spans on a common time axis: a tree of rows with bars. Only visible rows are in the page, so that many thousands stay smooth. */
import { IconChevronRight } from "@tabler/icons-react";
import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { formatDuration } from "../../components/values.tsx";
import classes from "./waterfall.module.css";

/** A span. Times are milliseconds since the epoch. */
export interface WaterfallRow {
  readonly id: string;
  /** Null for a root, and for a row whose parent is not among the rows. */
  readonly parentId: string | null;
  readonly name: string;
  /** What the span is, as the row shows it: `model`. */
  readonly kind: string;
  /** The colour of its bar. */
  readonly tone: "run" | "model" | "tool" | "step" | "wait" | "takeover";
  readonly start: number;
  /** Null while the span is open. */
  readonly end: number | null;
  readonly state: "done" | "failed" | "live";
}

interface WaterfallProps {
  /** What the rows are, for screen readers: `Spans of the trace`. */
  readonly label: string;
  /** Each after its parent, in the order of the tree. */
  readonly rows: readonly WaterfallRow[];
  /** The end of the spans that are open. Default: the latest time among the rows. */
  readonly now?: number;
  readonly selected?: string | undefined;
  readonly onSelect: (id: string) => void;
  /** Max height of the list in pixels. Default 480. */
  readonly maxHeight?: number;
}

const rowHeight = 30;

/** Rows outside of the visible part that are in the page, too. */
const overscan = 8;

/** Roles of the tree. Its rows take the focus, not its cells; the whole tree handles the keys. */
const roles = {
  rowgroup: { role: "rowgroup" },
  columnheader: { role: "columnheader" },
  axis: { role: "columnheader", "aria-label": "Timeline" },
  head: { role: "row", "aria-rowindex": 1 },
  gridcell: { role: "gridcell" },
  presentation: { role: "presentation" },
} as const;

function rowRole(index: number, depth: number) {
  return { role: "row", "aria-rowindex": index + 2, "aria-level": depth + 1 } as const;
}

interface Placed {
  readonly row: WaterfallRow;
  readonly depth: number;
  readonly hasChildren: boolean;
}

export function Waterfall(props: WaterfallProps): ReactNode {
  const { label, rows, now, selected, onSelect, maxHeight = 480 } = props;
  const [collapsed, setCollapsed] = useState<ReadonlySet<string>>(new Set());
  const [top, setTop] = useState(0);
  const [focused, setFocused] = useState<string>();
  const body = useRef<HTMLDivElement>(null);
  const wantsFocus = useRef(false);

  const visible = useMemo(() => placed(rows, collapsed), [rows, collapsed]);
  const range = useMemo(() => rangeOf(rows, now), [rows, now]);
  const current = Math.max(
    0,
    visible.findIndex(({ row }) => row.id === (focused ?? selected)),
  );
  const first = Math.max(0, Math.floor(top / rowHeight) - overscan);
  const last = Math.min(visible.length, Math.ceil((top + maxHeight) / rowHeight) + overscan);
  // The row with the focus stays in the page, also when it is scrolled out.
  const shown = visible.slice(first, last).map((one, at) => [one, first + at] as const);
  const active = visible[current];
  if (active && (current < first || current >= last)) shown.push([active, current]);

  useEffect(() => {
    if (!wantsFocus.current) return;
    wantsFocus.current = false;
    body.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus({ preventScroll: true });
  });

  const moveTo = (index: number): void => {
    const target = visible[Math.min(visible.length - 1, Math.max(0, index))];
    if (!target) return;
    setFocused(target.row.id);
    wantsFocus.current = true;
    const at = visible.indexOf(target) * rowHeight;
    const box = body.current;
    if (!box) return;
    if (at < box.scrollTop) box.scrollTop = at;
    else if (at + rowHeight > box.scrollTop + box.clientHeight) box.scrollTop = at + rowHeight - box.clientHeight;
  };
  const toggle = (id: string, open: boolean): void => {
    const next = new Set(collapsed);
    if (open) next.delete(id);
    else next.add(id);
    setCollapsed(next);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!active) return;
    const { row, hasChildren } = active;
    const isOpen = hasChildren && !collapsed.has(row.id);
    const parent = visible.findIndex((one) => one.row.id === row.parentId);
    const actions = new Map<string, () => void>([
      ["ArrowDown", () => moveTo(current + 1)],
      ["ArrowUp", () => moveTo(current - 1)],
      ["PageDown", () => moveTo(current + 10)],
      ["PageUp", () => moveTo(current - 10)],
      ["Home", () => moveTo(0)],
      ["End", () => moveTo(visible.length - 1)],
      ["ArrowRight", () => (hasChildren && !isOpen ? toggle(row.id, true) : moveTo(current + 1))],
      ["ArrowLeft", () => (isOpen ? toggle(row.id, false) : moveTo(parent === -1 ? current : parent))],
      ["Enter", () => onSelect(row.id)],
      [" ", () => onSelect(row.id)],
    ]);
    const action = event.ctrlKey || event.metaKey || event.altKey ? undefined : actions.get(event.key);
    if (!action) return;
    event.preventDefault();
    action();
  };

  return (
    <div
      className={classes.frame}
      role="treegrid"
      aria-label={label}
      aria-rowcount={visible.length + 1}
      aria-colcount={3}
      tabIndex={-1}
    >
      <div {...roles.rowgroup}>
        <div className={classes.head} {...roles.head}>
          <span {...roles.columnheader}>Span</span>
          <span {...roles.columnheader} className={classes.duration}>
            Duration
          </span>
          <span {...roles.axis} className={classes.axis}>
            {[0, 0.5, 1].map((part) => (
              <span key={part}>{formatDuration((range.end - range.start) * part)}</span>
            ))}
          </span>
        </div>
      </div>
      <div
        ref={body}
        className={classes.body}
        {...roles.presentation}
        style={{ maxHeight }}
        onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      >
        <div {...roles.rowgroup} className={classes.rows} style={{ height: visible.length * rowHeight }}>
          {shown.map(([{ row, depth, hasChildren }, index]) => (
            // biome-ignore lint/a11y/noStaticElementInteractions: the role is among the spread properties.
            <div
              key={row.id}
              {...rowRole(index, depth)}
              className={classes.row}
              style={{ top: index * rowHeight }}
              {...{ "aria-selected": row.id === selected }}
              {...(hasChildren && { "aria-expanded": !collapsed.has(row.id) })}
              tabIndex={index === current ? 0 : -1}
              onFocus={() => setFocused(row.id)}
              onClick={() => onSelect(row.id)}
              onKeyDown={onKeyDown}
            >
              <div
                {...roles.gridcell}
                className={classes.name}
                style={{ paddingInlineStart: Math.min(depth, 12) * 14 }}
              >
                {/* The keyboard opens and closes a row with the arrow keys. */}
                <IconChevronRight
                  aria-hidden
                  className={classes.toggle}
                  size={14}
                  visibility={hasChildren ? undefined : "hidden"}
                  data-open={hasChildren && !collapsed.has(row.id) ? true : undefined}
                  onClick={(event) => {
                    if (!hasChildren) return;
                    event.stopPropagation();
                    toggle(row.id, collapsed.has(row.id));
                  }}
                />
                <span className={`${classes.text} ${row.state === "failed" ? classes.failed : ""}`} title={row.name}>
                  {row.name}
                </span>
                <span className={classes.kind}>{row.state === "done" ? row.kind : `${row.kind}, ${row.state}`}</span>
              </div>
              <div {...roles.gridcell} className={classes.duration}>
                {formatDuration((row.end ?? range.end) - row.start)}
              </div>
              <div {...roles.gridcell} {...{ "aria-label": `starts after ${formatDuration(row.start - range.start)}` }}>
                <div className={classes.track} aria-hidden>
                  <div
                    className={classes.bar}
                    data-tone={row.tone}
                    data-state={row.state}
                    style={placeOf(row, range)}
                  />
                </div>
              </div>
            </div>
          ))}
        </div>
      </div>
    </div>
  );
}

/** The rows that no closed row hides. */
function placed(rows: readonly WaterfallRow[], collapsed: ReadonlySet<string>): readonly Placed[] {
  const parents = new Set(rows.map(({ parentId }) => parentId));
  const depths = new Map<string, number>();
  const visible: Placed[] = [];
  const hidden = new Set<string>();
  for (const row of rows) {
    const { id, parentId } = row;
    const depth = parentId === null ? 0 : (depths.get(parentId) ?? -1) + 1;
    depths.set(id, depth);
    if (parentId !== null && (hidden.has(parentId) || collapsed.has(parentId))) hidden.add(id);
    else visible.push({ row, depth, hasChildren: parents.has(id) });
  }
  return visible;
}

interface Range {
  readonly start: number;
  readonly end: number;
}

function rangeOf(rows: readonly WaterfallRow[], now: number | undefined): Range {
  let [start, end] = [Number.POSITIVE_INFINITY, now ?? Number.NEGATIVE_INFINITY];
  for (const row of rows) {
    start = Math.min(start, row.start);
    end = Math.max(end, row.end ?? row.start);
  }
  return Number.isFinite(start) ? { start, end: Math.max(end, start + 1) } : { start: 0, end: 1 };
}

function placeOf({ start, end }: WaterfallRow, range: Range): { readonly left: string; readonly width: string } {
  const whole = range.end - range.start;
  const left = Math.min(99.5, ((start - range.start) / whole) * 100);
  const width = Math.max(0, (((end ?? range.end) - start) / whole) * 100);
  return { left: `${left}%`, width: `${Math.min(width, 100 - left)}%` };
}
