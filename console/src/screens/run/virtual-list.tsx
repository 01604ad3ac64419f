/** A long list of rows of the same height: only those in view are in the page. Arrow keys, Home and End move the focus. */
import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from "react";
import classes from "./run.module.css";

interface VirtualListProps<Row> {
  /** What the rows are, for screen readers. */
  readonly label: string;
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => number;
  readonly rowHeight: number;
  /** The row is one button, whose focus the list moves. */
  readonly children: (row: Row) => ReactNode;
  /** Position of the row to show at first. */
  readonly start?: number | undefined;
  /** Whether the list stays at its end while it grows. */
  readonly sticksToEnd?: boolean;
  readonly maxHeight?: string;
}

export function VirtualList<Row>(props: VirtualListProps<Row>): ReactNode {
  const { label, rows, keyOf, rowHeight, children, start, sticksToEnd = false, maxHeight = "min(68vh, 900px)" } = props;
  const scroller = useRef<HTMLElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
    initialRect: { width: 800, height: 600 },
  });
  const hasStarted = useRef(false);
  useEffect(() => {
    if (hasStarted.current || start === undefined || start < 0 || rows.length <= start) return;
    hasStarted.current = true;
    virtual.scrollToIndex(start, { align: "center" });
  }, [start, rows.length, virtual]);
  useEffect(() => {
    if (sticksToEnd && rows.length > 0) virtual.scrollToIndex(rows.length - 1, { align: "end" });
  }, [sticksToEnd, rows.length, virtual]);
  const move = (event: KeyboardEvent): void => {
    const current = (event.target as HTMLElement).closest<HTMLElement>("[data-position]");
    const to = targetOf(event.key, Number(current?.dataset.position ?? -1), rows.length);
    if (to === undefined) return;
    event.preventDefault();
    virtual.scrollToIndex(to);
    requestAnimationFrame(() => {
      scroller.current?.querySelector<HTMLElement>(`[data-position="${to}"] button`)?.focus({ preventScroll: true });
    });
  };
  return (
    <section ref={scroller} className={classes.scroller} style={{ maxHeight }} aria-label={label}>
      <ul className={classes.list} style={{ height: virtual.getTotalSize() }} onKeyDown={move}>
        {virtual.getVirtualItems().map(({ index, start: top, size }) => {
          const row = rows[index];
          return (
            row !== undefined && (
              <li
                key={keyOf(row)}
                className={classes.item}
                style={{ height: size, transform: `translateY(${top}px)` }}
                data-position={index}
                aria-setsize={rows.length}
                aria-posinset={index + 1}
              >
                {children(row)}
              </li>
            )
          );
        })}
      </ul>
    </section>
  );
}

function targetOf(key: string, at: number, count: number): number | undefined {
  if (count === 0) return undefined;
  if (key === "ArrowDown") return Math.min(count - 1, at + 1);
  if (key === "ArrowUp") return Math.max(0, at - 1);
  if (key === "PageDown") return Math.min(count - 1, at + 15);
  if (key === "PageUp") return Math.max(0, at - 15);
  if (key === "Home") return 0;
  if (key === "End") return count - 1;
  return undefined;
}
