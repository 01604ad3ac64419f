/** A part of the timeline in detail: times, tokens, the tool's input and result, and the request and response of a model. */
import { Alert, Anchor, Badge, Button, Drawer, Group, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect } from "react";
import { Id } from "../../components/copy.tsx";
import { ErrorPanel } from "../../components/error-panel.tsx";
import { Json } from "../../components/json.tsx";
import { searchTool } from "../../components/source.ts";
import { Sources } from "../../components/sources.tsx";
import { Cost, Duration, formatDuration, Time, Tokens } from "../../components/values.tsx";
import { findRecord, recordQuery, type ShownMessage, turnOf } from "./queries.ts";
import { isMoment, type RowKind, type RowState } from "./row-kinds.ts";
import classes from "./run.module.css";
import type { RunName } from "./run-name.ts";
import { flatten, type TimelineRow } from "./timeline.ts";
import { kindNames, stateNames } from "./waterfall.tsx";

interface DetailsProps {
  readonly row: TimelineRow;
  readonly root: TimelineRow;
  readonly name: RunName;
  readonly mayRead: boolean;
  readonly onClose: () => void;
  /** Shows an event of the log. */
  readonly onEvent: (index: number) => void;
}

export function Details({ row, root, name, mayRead, onClose, onEvent }: DetailsProps): ReactNode {
  const { kind, label, detail, startedAt, endedAt, state, message, usage, tool, lastIndex, runId } = row;
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size="lg"
      title={
        <Group gap="xs">
          <Text fw={600}>{label}</Text>
          <Badge variant="light" color="gray" radius="sm" tt="none">
            {kindNames[kind]}
          </Badge>
        </Group>
      }
    >
      <Stack gap="md">
        <dl className={classes.facts}>
          <Fact label="State">{stateNames[state]}</Fact>
          {detail && <Fact label={detailNames[kind] ?? "Type"}>{detail}</Fact>}
          <Fact label="Begins">
            <Time value={startedAt / 1000} format="local" />
          </Fact>
          <Fact label="After">{formatDuration(startedAt - root.startedAt)}</Fact>
          {!isMoment(kind) && (
            <Fact label="Duration">
              <Duration ms={endedAt === undefined ? undefined : endedAt - startedAt} />
            </Fact>
          )}
          {usage && (
            <>
              <Fact label="Input tokens">
                <Tokens count={usage.inputTokens} />
              </Fact>
              <Fact label="Output tokens">
                <Tokens count={usage.outputTokens} />
              </Fact>
              <Fact label="Cost">
                <Cost usd={usage.cost} />
              </Fact>
              <Fact label="First token after">
                <Duration ms={usage.timeToFirstToken === undefined ? undefined : usage.timeToFirstToken * 1000} />
              </Fact>
            </>
          )}
        </dl>
        {message && (
          <Alert color="red" title={messageTitles[state] ?? "Error"}>
            {message}
          </Alert>
        )}
        <Group gap="xs">
          <Text size="sm" c="dimmed">
            Run
          </Text>
          <Id value={runId} label="run id" />
          <Text size="sm" c="dimmed">
            Events
          </Text>
          <Anchor component="button" type="button" size="sm" onClick={() => onEvent(row.id)}>
            {row.id}
          </Anchor>
          {lastIndex !== undefined && lastIndex !== row.id && (
            <>
              <Text size="sm" c="dimmed">
                to
              </Text>
              <Anchor component="button" type="button" size="sm" onClick={() => onEvent(lastIndex)}>
                {lastIndex}
              </Anchor>
            </>
          )}
        </Group>
        <Sources of={row.citations} />
        {kind === "stage" && <Sources of={row.output} label="Found" />}
        {tool?.tool_name === searchTool && <Sources of={tool.result} label="Found" />}
        {tool && (
          <>
            <Section title="Arguments">
              <Json value={tool.tool_args ?? {}} label="arguments" />
            </Section>
            {tool.result !== null && tool.result !== undefined && (
              <Section title={tool.tool_call_error ? "Error" : "Result"}>
                <Json value={readable(tool.result)} label="result" />
              </Section>
            )}
          </>
        )}
        {row.output !== undefined && row.output !== null && row.output !== "" && (
          <Section title="Result">
            <Content value={row.output} label="result" />
          </Section>
        )}
        {kind === "model" && row.turn !== undefined && mayRead && <Exchange row={row} root={root} name={name} />}
      </Stack>
    </Drawer>
  );
}

const detailNames: Readonly<Partial<Record<RowKind, string>>> = {
  model: "Provider or purpose",
  hook: "Where",
  stage: "What",
};

const messageTitles: Readonly<Partial<Record<RowState, string>>> = {
  cancelled: "Reason",
  refused: "Why it refused. The run ended with this reason.",
};

function Fact({ label, children }: { readonly label: string; readonly children: ReactNode }): ReactNode {
  return (
    <div className={classes.fact}>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Section({ title, children }: { readonly title: string; readonly children: ReactNode }): ReactNode {
  return (
    <Stack gap={6} component="section">
      <Title order={3} size="h5">
        {title}
      </Title>
      {children}
    </Stack>
  );
}

/** The messages of a model request, and its answer. They come from the record of the run. */
function Exchange({
  row,
  root,
  name,
}: {
  readonly row: TimelineRow;
  readonly root: TimelineRow;
  readonly name: RunName;
}) {
  const { data, error, refetch, isFetching } = useQuery(recordQuery(name));
  const turns = flatten(root).filter(({ row: one }) => one.runId === row.runId && one.turn !== undefined).length;
  const found = turnOf(findRecord(data, row.runId), row.turn ?? 0, turns);
  const isMissing = data !== undefined && found === undefined;
  // The record of a live run may be older than its log.
  useEffect(() => {
    if (isMissing) void refetch();
  }, [isMissing, refetch]);
  if (error && !data) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (!found)
    return isFetching ? (
      <Skeleton height={160} />
    ) : (
      <Text size="sm" c="dimmed">
        The record of the run has no messages of this request yet.{" "}
        <Button size="compact-xs" variant="default" onClick={() => void refetch()}>
          Read it again
        </Button>
      </Text>
    );
  return (
    <>
      <Section title="Request">
        <Text size="xs" c="dimmed">
          The messages of this run. The model also received the instructions, the tools and the history of the session.
        </Text>
        {found.request.map((message, place) => (
          <Message key={message.id ?? place} message={message} />
        ))}
      </Section>
      <Section title="Response">
        <Message message={found.response} />
      </Section>
    </>
  );
}

function Message({ message }: { readonly message: ShownMessage }): ReactNode {
  const { role, content, tool_calls, tool_name } = message;
  return (
    <Stack gap={4}>
      <Text size="xs" c="dimmed">
        {tool_name ? `${role} · ${tool_name}` : role}
      </Text>
      {content !== undefined && content !== null && content !== "" && (
        <Content value={content} label={`${role} message`} />
      )}
      {tool_calls && tool_calls.length > 0 && <Json value={tool_calls} label="tool calls" />}
    </Stack>
  );
}

function Content({ value, label }: { readonly value: unknown; readonly label: string }): ReactNode {
  const shown = readable(value);
  if (typeof shown !== "string") return <Json value={shown} label={label} />;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a long text scrolls, so that the keyboard must reach it.
    <pre className={classes.text} tabIndex={0}>
      {shown}
    </pre>
  );
}

/** A text that is an object or a list in JSON is shown as such. */
function readable(value: unknown): unknown {
  if (typeof value !== "string" || !/^\s*[{[]/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

export { Fact };
