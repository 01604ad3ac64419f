/** What a question belongs to: component, run, session and user. */
import { Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { ComponentKind } from "../../api/component-kinds.ts";
import classes from "../../components/components.module.css";
import { Copy } from "../../components/copy.tsx";
import { Fact, FactList } from "../../components/facts.tsx";
import { RunLink } from "../../components/run-link.tsx";
import { Time, type WireTime } from "../../components/values.tsx";

interface FactsProps {
  readonly component: { readonly kind: string; readonly id: string; readonly name: string };
  /** The component of the run. */
  readonly root: { readonly kind: ComponentKind; readonly id: string };
  readonly runId: string;
  readonly sessionId: string;
  readonly user: string | null | undefined;
  readonly since: WireTime | null | undefined;
  readonly children?: ReactNode;
}

export function Facts({ component, root, runId, sessionId, user, since, children }: FactsProps): ReactNode {
  return (
    <FactList>
      <Fact name="Component">
        {component.name}{" "}
        <Text span c="dimmed" size="xs">
          {component.kind}
        </Text>
      </Fact>
      <Fact name="Run">
        <RunLink kind={root.kind} component={root.id} run={runId} session={sessionId}>
          {shortened(runId)}
        </RunLink>
        <Copy value={runId} label="run id" />
      </Fact>
      <Fact name="Session">
        <Link
          className={classes.rowLink}
          to="/sessions/$sessionId"
          params={{ sessionId }}
          search={{ kind: root.kind, ...(user ? { user } : {}) }}
          title={sessionId}
        >
          {shortened(sessionId)}
        </Link>
        <Copy value={sessionId} label="session id" />
      </Fact>
      {user && <Fact name="User">{user}</Fact>}
      {since && (
        <Fact name="Waiting since">
          <Time value={since} />
        </Fact>
      )}
      {children}
    </FactList>
  );
}

/** Long ids are shortened on the screen only. */
function shortened(id: string): string {
  return id.length > 13 ? `${id.slice(0, 8)}…` : id;
}
