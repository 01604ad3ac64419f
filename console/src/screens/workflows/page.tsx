import { Button } from "@mantine/core";
import { IconTimeline } from "@tabler/icons-react";
import { createLazyRoute, Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Page } from "../../components/page.tsx";
import DefinitionGraph from "../../components/workflow-graph/definition-graph.tsx";
import { useMay } from "../../session/me.ts";

export const Route = createLazyRoute("/workflows/$workflow")({ component: WorkflowPage });

function WorkflowPage(): ReactNode {
  const { workflow } = Route.useParams();
  const may = useMay();
  return (
    <Page
      title={`Workflow ${workflow}`}
      description="Its steps, as the definition orders them."
      actions={
        may("GET /runs") && (
          <Button
            component={Link}
            to={"/runs" as string}
            search={{ kind: "workflow", component: workflow } as never}
            variant="default"
            leftSection={<IconTimeline size={14} aria-hidden />}
          >
            Its runs
          </Button>
        )
      }
    >
      <DefinitionGraph key={workflow} workflow={workflow} />
    </Page>
  );
}
