/** The graph of a hosted workflow, with the states of its steps if it is shown for a run. Load it lazily: the library of graphs is large. */
import { Skeleton } from "@mantine/core";
import { IconHierarchy2 } from "@tabler/icons-react";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo } from "react";
import { api, dataOf } from "../../api/client.ts";
import { Empty } from "../empty.tsx";
import { ErrorPanel } from "../error-panel.tsx";
import { GraphView } from "./graph-view.tsx";
import { graphOf, innerSteps, type StepDefinition, type StepFacts } from "./workflow-graph.ts";

interface DefinitionGraphProps {
  readonly workflow: string;
  /** Returns the states of a run's steps. Keep it stable: it is called with the names of all steps. */
  readonly factsOf?: (names: readonly string[]) => ReadonlyMap<string, StepFacts>;
}

function workflowQuery(id: string) {
  return queryOptions({
    queryKey: ["workflow", id],
    queryFn: ({ signal }) =>
      dataOf(api.GET("/workflows/{workflow_id}", { params: { path: { workflow_id: id } }, signal })),
    staleTime: 60_000,
  });
}

export default function DefinitionGraph({ workflow, factsOf }: DefinitionGraphProps): ReactNode {
  const { data, error, refetch } = useQuery(workflowQuery(workflow));
  const steps = data?.steps as readonly StepDefinition[] | undefined | null;
  const graph = useMemo(() => steps && graphOf(steps, factsOf?.(namesIn(steps))), [steps, factsOf]);
  if (error && !data) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height={360} radius="md" />;
  if (!graph)
    return (
      <Empty icon={IconHierarchy2} title="The steps of this workflow are not known here">
        A factory builds the workflow for each run, or another server hosts it.
      </Empty>
    );
  return <GraphView name={data.name ?? workflow} graph={graph} isRun={factsOf !== undefined} />;
}

function namesIn(steps: readonly StepDefinition[], outer = ""): readonly string[] {
  return steps.flatMap((step) => {
    const { name, workflow } = step;
    const own = name ? [outer + name] : [];
    return [...own, ...namesIn(innerSteps(step), workflow && name ? `${outer}${name}/` : outer)];
  });
}
