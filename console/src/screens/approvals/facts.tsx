/** What a question belongs to: component, run, session and user. */
import { Group, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { Id } from "../../components/copy.tsx";
import { Time, type WireTime } from "../../components/values.tsx";
import classes from "./approvals.module.css";

interface FactsProps {
  readonly component: { readonly kind: string; readonly id: string; readonly name: string };
  readonly runId: string;
  readonly sessionId: string;
  readonly user: string | null | undefined;
  readonly since: WireTime | null | undefined;
  readonly children?: ReactNode;
}

export function Facts({ component, runId, sessionId, user, since, children }: FactsProps): ReactNode {
  return (
    <dl className={classes.facts}>
      <Fact name="Component">
        {component.name}{" "}
        <Text span c="dimmed" size="xs">
          {component.kind}
        </Text>
      </Fact>
      <Fact name="Run">
        <Id value={runId} label="run id" />
      </Fact>
      <Fact name="Session">
        <Id value={sessionId} label="session id" />
      </Fact>
      {user && <Fact name="User">{user}</Fact>}
      {since && (
        <Fact name="Waits since">
          <Time value={since} />
        </Fact>
      )}
      {children}
    </dl>
  );
}

/** A name with its value, in a list of facts. */
export function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }): ReactNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <Group gap={4} component="span">
          {children}
        </Group>
      </dd>
    </div>
  );
}
