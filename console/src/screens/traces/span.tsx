import { Alert, Group, Paper, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { Id } from "../../components/copy.tsx";
import { Facts } from "../../components/facts.tsx";
import { Json } from "../../components/json.tsx";
import { Cost, Duration, Time, Tokens } from "../../components/values.tsx";
import { durationOf, type TraceNode } from "./queries.ts";
import { TraceStatus } from "./status.tsx";
import classes from "./traces.module.css";

/** The facts and attributes of a span. */
export function SpanPanel({ node }: { readonly node: TraceNode }): ReactNode {
  const { metadata = {}, extra_data: extra } = node;
  const fact = (name: string): unknown => metadata?.[name];
  const tokensIn = fact("input_tokens");
  const tokensOut = fact("output_tokens");
  const cost = fact("cost");
  const facts: readonly (readonly [string, ReactNode] | undefined)[] = [
    ["Duration", <Duration key="duration" ms={durationOf(node)} />],
    ["Started", <Time key="started" value={node.start_time} format="local" />],
    typeof fact("model") === "string" ? ["Model", String(fact("model"))] : undefined,
    typeof fact("tool_name") === "string" ? ["Tool", String(fact("tool_name"))] : undefined,
    node.step_type ? ["Step", node.step_type] : undefined,
    typeof tokensIn === "number" ? ["Tokens in", <Tokens key="in" count={tokensIn} />] : undefined,
    typeof tokensOut === "number" ? ["Tokens out", <Tokens key="out" count={tokensOut} />] : undefined,
    typeof cost === "number" ? ["Cost", <Cost key="cost" usd={cost} />] : undefined,
    ["Span id", <Id key="id" value={node.id} label="span id" />],
  ];
  return (
    <Paper withBorder p="md" component="section" aria-labelledby="span">
      <Stack gap="sm">
        <Group justify="space-between" align="flex-start" wrap="nowrap">
          <Title order={2} size="h5" id="span" className={classes.name} aria-live="polite">
            {node.name}
          </Title>
          {node.status !== "UNSET" && <TraceStatus status={node.status} />}
        </Group>
        {node.error && (
          <Alert color="red" variant="light" p="xs" title="Error">
            {node.error}
          </Alert>
        )}
        <Facts facts={facts.filter((one) => one !== undefined)} />
        <Text size="sm" fw={600}>
          Attributes
        </Text>
        <Json value={extra?.attributes ?? {}} label="attributes" />
      </Stack>
    </Paper>
  );
}
