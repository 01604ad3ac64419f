/** The record of a run: its input, its answer, and everything as JSON. */
import { Skeleton, Stack, Title } from "@mantine/core";
import { type ReactNode, useMemo } from "react";
import { Json } from "../../components/json.tsx";
import type { ShownRecord } from "./queries.ts";
import classes from "./run.module.css";
import { inputOf } from "./run-state.ts";

export function RecordView({ record }: { readonly record: ShownRecord | undefined }): ReactNode {
  // The events have a tab of their own.
  const shown = useMemo(() => {
    const { events: _, ...rest } = record ?? {};
    return rest;
  }, [record]);
  if (!record) return <Skeleton height={320} radius="md" />;
  const { content } = record;
  return (
    <Stack>
      <Part title="Input">{inputOf(record) ?? "–"}</Part>
      <Part title="Answer">
        {typeof content === "string" ? content : content === undefined ? "–" : JSON.stringify(content, null, 2)}
      </Part>
      <Stack gap={6} component="section">
        <Title order={2} size="h5">
          Record
        </Title>
        <Json value={shown} label="record" />
      </Stack>
    </Stack>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: string }): ReactNode {
  return (
    <Stack gap={6} component="section">
      <Title order={2} size="h5">
        {title}
      </Title>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long text scrolls, so that the keyboard must reach it. */}
      <pre className={classes.text} tabIndex={0}>
        {children}
      </pre>
    </Stack>
  );
}
