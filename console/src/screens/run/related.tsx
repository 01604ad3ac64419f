/** Links from a run to its chat, its session and its trace. */
import { Group } from "@mantine/core";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { Link, useRouter } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { api, dataOf } from "../../api/client.ts";
import { useMay } from "../../session/me.ts";
import classes from "./run.module.css";
import type { RunName } from "./run-name.ts";

export function Related({ name, isOver }: { readonly name: RunName; readonly isOver: boolean }): ReactNode {
  const { kind, component, run, session } = name;
  const may = useMay();
  const { routesByPath } = useRouter();
  const mayTrace = may("GET /traces/{trace_id}");
  const { data: traceId } = useQuery({ ...traceIdQuery(run), enabled: mayTrace && isOver });
  const has = (path: string): boolean => path in routesByPath;
  const place = { run, ...(session === undefined ? {} : { session }) };
  return (
    <Group gap="md" component="nav" aria-label="Related pages" className={classes.related}>
      {has("/chat/$kind/$id") && (
        <Link to={`/chat/${kind}/${component}` as string} search={place as never}>
          Open in chat
        </Link>
      )}
      {session !== undefined && may("GET /sessions/{session_id}") && (
        <Link to="/sessions/$sessionId" params={{ sessionId: session }} search={{ kind }}>
          Session
        </Link>
      )}
      {session !== undefined && may("GET /runs") && (
        <Link to="/runs" search={{ session }}>
          Runs of the session
        </Link>
      )}
      {kind === "workflow" && may("GET /workflows/{workflow_id}", component) && (
        <Link to="/workflows/$workflow" params={{ workflow: component }}>
          Workflow
        </Link>
      )}
      {may("GET /webhooks/deliveries") && (
        <Link to="/webhooks" search={{ run }}>
          Webhook deliveries
        </Link>
      )}
      {mayTrace && (
        <Link to="/traces/$traceId" params={{ traceId: traceId ?? idOfTrace(run) }}>
          Trace
        </Link>
      )}
    </Group>
  );
}

/** The trace of a run has the digits of the run's id, unless the caller sent a `traceparent`: only the list of traces knows its id then. */
function idOfTrace(run: string): string {
  return run.replaceAll("-", "");
}

function traceIdQuery(run: string) {
  return queryOptions({
    queryKey: ["trace-of", run],
    queryFn: async ({ signal }) => {
      const { data } = await dataOf(api.GET("/traces", { params: { query: { run_id: run, limit: 1 } }, signal }));
      return data[0]?.trace_id ?? idOfTrace(run);
    },
    staleTime: 60_000,
  });
}
