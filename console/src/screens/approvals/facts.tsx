/** What a question belongs to: component, run, session and user. */
import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import { Id } from "../../components/copy.tsx";
import { Fact, FactList } from "../../components/facts.tsx";
import { Time, type WireTime } from "../../components/values.tsx";

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
    <FactList>
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
    </FactList>
  );
}
