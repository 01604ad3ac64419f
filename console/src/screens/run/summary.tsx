/** The facts of a run: its state, times, tokens and cost. */
import { Skeleton } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Id } from "../../components/copy.tsx";
import { Cost, Duration, Elapsed, StatusBadge, Time, Tokens } from "../../components/values.tsx";
import { Fact } from "./details.tsx";
import type { ShownRecord } from "./queries.ts";
import classes from "./run.module.css";
import type { RunName } from "./run-name.ts";
import type { Timeline } from "./timeline.ts";

interface SummaryProps {
  readonly name: RunName;
  readonly record: ShownRecord | undefined;
  readonly timeline: Timeline;
  readonly status: string | undefined;
}

export function Summary({ name, record, timeline: { root, totals }, status }: SummaryProps): ReactNode {
  const first = totals.timeToFirstToken;
  const user = record?.user_id;
  return (
    <dl className={classes.facts}>
      <Fact label="State">
        {status === undefined ? <Skeleton height={20} w={80} /> : <StatusBadge status={status} />}
      </Fact>
      <Fact label="Started">{root ? <Time value={root.startedAt / 1000} /> : "–"}</Fact>
      <Fact label="Duration">
        {root && root.endedAt === undefined ? (
          <Elapsed since={root.startedAt / 1000} />
        ) : (
          <Duration ms={root?.endedAt === undefined ? undefined : root.endedAt - root.startedAt} />
        )}
      </Fact>
      <Fact label="First token after">
        <Duration ms={first === undefined ? undefined : first * 1000} />
      </Fact>
      <Fact label="Input tokens">
        <Tokens count={root && totals.inputTokens} />
      </Fact>
      <Fact label="Output tokens">
        <Tokens count={root && totals.outputTokens} />
      </Fact>
      <Fact label="Cost">
        <Cost usd={totals.cost} />
      </Fact>
      <Fact label="Model requests">{totals.modelRequests}</Fact>
      <Fact label="Tool calls">{totals.toolCalls}</Fact>
      <Fact label="Takeovers">{totals.takeovers}</Fact>
      <Fact label="Run">
        <Id value={name.run} label="run id" />
      </Fact>
      <Fact label="Session">{name.session === undefined ? "–" : <Id value={name.session} label="session id" />}</Fact>
      {record?.component_version !== undefined && (
        <Fact label="Version">
          <Link
            to="/components/$kind/$id"
            params={{ kind: name.kind, id: name.component }}
            search={{ to: record.component_version }}
          >
            {record.component_version}
          </Link>
        </Fact>
      )}
      {typeof user === "string" && <Fact label="User">{user}</Fact>}
    </dl>
  );
}
