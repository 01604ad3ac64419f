import { Anchor, Code, Grid, Group, Paper, Skeleton, Stack, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { createLazyRoute, Link } from "@tanstack/react-router";
import { type ReactNode, useMemo } from "react";
import { Copy, Id } from "../../components/copy.tsx";
import { ErrorPanel } from "../../components/error-panel.tsx";
import { Facts } from "../../components/facts.tsx";
import { Page } from "../../components/page.tsx";
import { Cost, Duration, Time, Tokens } from "../../components/values.tsx";
import { useMay } from "../../session/me.ts";
import { componentOf, durationOf, type Trace, type TraceNode, totalsOf, traceQuery } from "./queries.ts";
import { SpanPanel } from "./span.tsx";
import { TraceStatus } from "./status.tsx";
import classes from "./traces.module.css";
import { Waterfall, type WaterfallRow } from "./waterfall.tsx";

export const Route = createLazyRoute("/traces/$traceId")({ component: TracePage });

function TracePage(): ReactNode {
  const { traceId } = Route.useParams();
  const { span: spanId, run } = Route.useSearch();
  const navigate = Route.useNavigate();
  const { data: trace, error, refetch } = useQuery(traceQuery(traceId, run));
  const nodes = useMemo(() => flatten(trace?.tree ?? []), [trace]);
  const rows = useMemo(() => nodes.map((one) => toRow(one, trace?.status === "UNSET")), [nodes, trace?.status]);
  const selected = nodes.find(({ node }) => node.id === spanId)?.node ?? nodes[0]?.node;
  const component = trace && componentOf(trace);
  return (
    <Page
      title={component ? `Trace of ${component.id}` : "Trace"}
      description={
        <Group gap={6} component="span">
          <Anchor component={Link} to="/traces" size="sm">
            All traces
          </Anchor>
          <Code>{traceId}</Code>
          <Copy value={traceId} label="trace id" />
        </Group>
      }
    >
      {error && !trace && <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {!trace && !error && (
        <Stack>
          <Skeleton height={64} />
          <Skeleton height={320} />
        </Stack>
      )}
      {trace && (
        <>
          <TraceFacts trace={trace} />
          <Grid gap="lg">
            <Grid.Col span={{ base: 12, lg: 7.5 }}>
              <Waterfall
                label="Spans of the trace"
                rows={rows}
                selected={selected?.id}
                onSelect={(id) => void navigate({ search: (before) => ({ ...before, span: id }), replace: true })}
              />
            </Grid.Col>
            <Grid.Col span={{ base: 12, lg: 4.5 }}>{selected && <SpanPanel node={selected} />}</Grid.Col>
          </Grid>
          <Texts trace={trace} />
        </>
      )}
    </Page>
  );
}

function TraceFacts({ trace }: { readonly trace: Trace }): ReactNode {
  const { input, output, cost } = totalsOf(trace);
  const { run_id: runId, session_id: sessionId, user_id: user } = trace;
  const facts: readonly (readonly [string, ReactNode])[] = [
    ["Result", <TraceStatus key="status" status={trace.status} />],
    ["Duration", <Duration key="duration" ms={durationOf(trace)} />],
    ["Started", <Time key="started" value={trace.start_time} />],
    ["Spans", `${trace.total_spans}${trace.error_count > 0 ? `, ${trace.error_count} failed` : ""}`],
    ["Tokens in", <Tokens key="in" count={input} />],
    ["Tokens out", <Tokens key="out" count={output} />],
    ["Cost", <Cost key="cost" usd={cost} />],
    ...(user ? [["User", user] as const] : []),
    ...(runId ? [["Run", <RunLink key="run" trace={trace} runId={runId} />] as const] : []),
    ...(sessionId ? [["Session", <SessionLink key="session" id={sessionId} />] as const] : []),
  ];
  return (
    <Paper withBorder p="md">
      <Facts facts={facts} />
    </Paper>
  );
}

function RunLink({ trace, runId }: { readonly trace: Trace; readonly runId: string }): ReactNode {
  const component = componentOf(trace);
  const may = useMay();
  if (!component || !may(`GET /${component.kind}s/{${component.kind}_id}/runs/{run_id}`, component.id))
    return <Id value={runId} label="run id" />;
  return (
    <Anchor
      component={Link}
      to="/runs/$kind/$component/$run"
      params={{ kind: component.kind, component: component.id, run: runId } as never}
      search={{ session: trace.session_id ?? undefined } as never}
      size="sm"
      title={runId}
    >
      {runId.slice(0, 8)}…
    </Anchor>
  );
}

/** Opens the traces of the session. */
function SessionLink({ id }: { readonly id: string }): ReactNode {
  return (
    <Anchor component={Link} to="/traces" search={{ session: id } as never} size="sm" title={id}>
      {id}
    </Anchor>
  );
}

function Texts({ trace }: { readonly trace: Trace }): ReactNode {
  const texts = [
    ["Input", trace.input],
    ["Output", trace.output],
    ["Error", trace.error],
  ] as const;
  return (
    <Grid gap="lg">
      {texts.map(
        ([name, text]) =>
          text && (
            <Grid.Col key={name} span={{ base: 12, md: 6 }}>
              <Group justify="space-between" mb={4}>
                <Title order={2} size="h5">
                  {name}
                </Title>
                <Copy value={text} label={name.toLowerCase()} />
              </Group>
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long text scrolls, so that the keyboard must reach it. */}
              <pre className={classes.text} tabIndex={0}>
                {text}
              </pre>
            </Grid.Col>
          ),
      )}
    </Grid>
  );
}

interface FlatNode {
  readonly node: TraceNode;
  readonly parentId: string | null;
}

function flatten(nodes: readonly TraceNode[], parentId: string | null = null): readonly FlatNode[] {
  const flat: FlatNode[] = [];
  const add = (some: readonly TraceNode[], parent: string | null): void => {
    for (const node of some) {
      flat.push({ node, parentId: parent });
      add(node.spans ?? [], node.id);
    }
  };
  add(nodes, parentId);
  return flat;
}

const kinds: Readonly<Record<string, readonly [kind: string, tone: WaterfallRow["tone"]]>> = {
  REQUEST: ["request", "run"],
  AGENT: ["agent", "run"],
  TEAM: ["team", "run"],
  WORKFLOW: ["workflow", "run"],
  STEP: ["step", "step"],
  LLM: ["model", "model"],
  TOOL: ["tool", "tool"],
  PAUSE: ["pause", "wait"],
  TAKEOVER: ["takeover", "takeover"],
};

/** The operation at the beginning of a span's name, which the kind shows, too. */
const operation = /^(?:run (?:agent|team|workflow)|invoke_agent|invoke_workflow|execute_tool|chat) (?=.)/;

function toRow({ node, parentId }: FlatNode, isLive: boolean): WaterfallRow {
  const [kind, tone] = kinds[node.type] ?? [node.type.toLowerCase(), "run" as const];
  const isOpen =
    isLive && node.status === "UNSET" && (node.type === "REQUEST" || node.type === "LLM" || kind === "agent");
  return {
    ...{ id: node.id, parentId, name: node.name.replace(operation, ""), kind, tone },
    start: Date.parse(node.start_time),
    end: Date.parse(node.end_time),
    state: node.status === "ERROR" ? "failed" : isOpen ? "live" : "done",
  };
}
