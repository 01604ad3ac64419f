/** Values as the console shows them everywhere: times, durations, tokens, costs and states. */
import { Badge, Text, Tooltip } from "@mantine/core";
import { type ReactNode, useSyncExternalStore } from "react";
import classes from "./components.module.css";

/** A time of the interface: ISO 8601, or seconds since the epoch. */
export type WireTime = string | number;

function toDate(time: WireTime): Date {
  return new Date(typeof time === "number" ? time * 1000 : time);
}

const localFormat = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
const dayFormat = new Intl.DateTimeFormat(undefined, {
  month: "short",
  day: "numeric",
  hour: "2-digit",
  minute: "2-digit",
});
const relativeFormat = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "short" });

interface TimeProps {
  readonly value: WireTime;
  /** `relative`: "3 min. ago". `local`: date and time. Default: relative within a day, otherwise local. */
  readonly format?: "relative" | "local";
}

/** A time in the caller's time zone; on hover and focus also in UTC. */
export function Time({ value, format }: TimeProps): ReactNode {
  const now = useNow();
  const date = toDate(value);
  if (Number.isNaN(date.getTime())) return <Text span>{String(value)}</Text>;
  const distance = date.getTime() - now;
  const isRelative = format === "relative" || (format === undefined && Math.abs(distance) < 86_400_000);
  const utc = `${date.toISOString().replace("T", " ").slice(0, 19)} UTC`;
  return (
    <Tooltip label={`${localFormat.format(date)} · ${utc}`} events={{ hover: true, focus: true, touch: true }}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard reaches the time in UTC. */}
      <time dateTime={date.toISOString()} className={classes.time} tabIndex={0}>
        {isRelative ? relativeTo(distance) : dayFormat.format(date)}
      </time>
    </Tooltip>
  );
}

function relativeTo(distance: number): string {
  const seconds = Math.round(distance / 1000);
  if (Math.abs(seconds) < 5) return "now";
  if (Math.abs(seconds) < 60) return relativeFormat.format(seconds, "second");
  const minutes = Math.round(seconds / 60);
  if (Math.abs(minutes) < 60) return relativeFormat.format(minutes, "minute");
  const hours = Math.round(minutes / 60);
  if (Math.abs(hours) < 48) return relativeFormat.format(hours, "hour");
  return relativeFormat.format(Math.round(hours / 24), "day");
}

/** A duration in milliseconds: `820 ms`, `4.2 s`, `3 min 5 s`, `2 h 4 min`. */
export function Duration({ ms }: { readonly ms: number | null | undefined }): ReactNode {
  return <span className={classes.numeric}>{formatDuration(ms)}</span>;
}

export function formatDuration(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return "–";
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.floor(seconds % 60)} s`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** The time since a moment, counting while it is shown. */
export function Elapsed({ since }: { readonly since: WireTime }): ReactNode {
  return <Duration ms={Math.max(0, useNow() - toDate(since).getTime())} />;
}

const countFormat = new Intl.NumberFormat("en", { maximumFractionDigits: 1, notation: "compact" });
const exactFormat = new Intl.NumberFormat("en");

/** A number of tokens: exact below 10,000, short above, with the exact number on hover. */
export function Tokens({ count }: { readonly count: number | null | undefined }): ReactNode {
  if (count === null || count === undefined) return <span className={classes.numeric}>–</span>;
  if (count < 10_000) return <span className={classes.numeric}>{exactFormat.format(count)}</span>;
  return (
    <Tooltip label={`${exactFormat.format(count)} tokens`}>
      <span className={classes.numeric}>{countFormat.format(count)}</span>
    </Tooltip>
  );
}

/** A size in bytes: `820 B`, `4.2 kB`, `12 MB`. */
export function Size({ bytes }: { readonly bytes: number | null | undefined }): ReactNode {
  return <span className={classes.numeric}>{formatSize(bytes)}</span>;
}

export function formatSize(bytes: number | null | undefined): string {
  if (bytes === null || bytes === undefined) return "–";
  const power = Math.min(3, Math.floor(Math.log10(Math.max(bytes, 1)) / 3));
  const value = bytes / 1000 ** power;
  return `${value.toFixed(power === 0 || value >= 10 ? 0 : 1)} ${["B", "kB", "MB", "GB"][power]}`;
}

/** A cost in US dollars, with as many digits as small costs need. */
export function Cost({ usd }: { readonly usd: number | null | undefined }): ReactNode {
  return <span className={classes.numeric}>{formatCost(usd)}</span>;
}

export function formatCost(usd: number | null | undefined): string {
  if (usd === null || usd === undefined) return "–";
  if (usd === 0) return "$0";
  if (usd >= 1) return `$${exactFormat.format(Math.round(usd * 100) / 100)}`;
  return `$${usd.toFixed(Math.min(8, Math.max(2, 1 - Math.floor(Math.log10(usd)))))}`;
}

const colors: Readonly<Record<string, string>> = {
  PENDING: "gray",
  RUNNING: "blue",
  PAUSED: "yellow",
  COMPLETED: "green",
  ERROR: "red",
  CANCELLED: "gray",
  FAILED: "red",
  REGENERATED: "gray",
  pending: "yellow",
  approved: "green",
  rejected: "red",
  enabled: "green",
  disabled: "gray",
  delivered: "green",
  failed: "red",
  connected: "green",
  processing: "blue",
  running: "blue",
  cancelled: "gray",
  completed: "green",
};

/** A state with its own colour. The word says the same as the colour. */
export function StatusBadge({ status }: { readonly status: string }): ReactNode {
  const isLive = status === "RUNNING";
  return (
    <Badge
      color={colors[status] ?? "gray"}
      variant={isLive ? "dot" : "light"}
      radius="sm"
      tt="capitalize"
      miw="max-content"
    >
      {status.toLowerCase().replaceAll("_", " ")}
    </Badge>
  );
}

let now = Date.now();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** The present time in milliseconds, renewed each second for all components together. */
export function useNow(): number {
  return useSyncExternalStore(subscribeToNow, () => now);
}

function subscribeToNow(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const each of listeners) each();
  }, 1000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}
