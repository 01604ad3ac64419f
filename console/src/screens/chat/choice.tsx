import { IconMessageCircle } from "@tabler/icons-react";
import { createLazyRoute } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { ComponentCards } from "../../components/component-cards.tsx";
import { Page } from "../../components/page.tsx";

export const Route = createLazyRoute("/chat")({ component: Choice });

/** The choice of a component to talk to. */
function Choice(): ReactNode {
  return (
    <Page title="Chat" description="Choose an agent, a team or a workflow.">
      <ComponentCards emptyIcon={IconMessageCircle} emptyTitle="Nobody to talk to" />
    </Page>
  );
}
