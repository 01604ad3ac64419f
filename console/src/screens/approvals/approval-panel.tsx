/** One approval: what it is about, the form that resolves it, or who resolved it. */
import { Alert, Button, Drawer, Group, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { ErrorPanel } from "../../components/error-panel.tsx";
import { Fact } from "../../components/facts.tsx";
import { Json } from "../../components/json.tsx";
import { QuestionForm } from "../../components/question-form.tsx";
import { type Answer, missingIn, questionOfCall } from "../../components/questions.ts";
import { StatusBadge, Time } from "../../components/values.tsx";
import { useMay } from "../../session/me.ts";
import { continueRun, type Decision, useMayContinue, useResolve } from "./decide.ts";
import { Facts } from "./facts.tsx";
import { type Approval, approvalQuery, approvedRunQuery, rootOf } from "./queries.ts";

interface ApprovalPanelProps {
  readonly id: string;
  readonly isSending: boolean;
  readonly onSend: (decision: Decision) => void;
  readonly onClose: () => void;
}

export function ApprovalPanel({ id, isSending, onSend, onClose }: ApprovalPanelProps): ReactNode {
  const { data, error, refetch } = useQuery(approvalQuery(id));
  return (
    <Drawer opened onClose={onClose} position="right" size="lg" title="Approval" padding="lg">
      {error ? (
        <ErrorPanel error={error} onRetry={() => void refetch()} />
      ) : data ? (
        <Details key={data.status} approval={data} isSending={isSending} onSend={onSend} />
      ) : (
        <Skeleton height={220} />
      )}
    </Drawer>
  );
}

interface DetailsProps {
  readonly approval: Approval;
  readonly isSending: boolean;
  readonly onSend: (decision: Decision) => void;
}

function Details({ approval, isSending, onSend }: DetailsProps): ReactNode {
  const [answer, setAnswer] = useState<Answer>({});
  const [missing, setMissing] = useState<string>();
  const mayResolve = useMay()("POST /approvals/{approval_id}/resolve");
  const resolve = useResolve();
  const question = approval.requirements?.flatMap((one) => questionOfCall(one))[0];
  const isPending = approval.status === "pending";
  const root = rootOf(approval);
  const mayContinue = useMayContinue()(root.kind, root.id) && approval.approval_type !== "audit";
  const run = useQuery({ ...approvedRunQuery(approval), enabled: !isPending && mayContinue });
  const decide = (confirmed: boolean): void => {
    const given = { ...answer, confirmed };
    const lacks = question && missingIn(question, given);
    setMissing(lacks);
    if (!lacks) onSend(resolve(approval, question, given));
  };
  return (
    <Stack gap="lg">
      <Facts
        component={{ kind: approval.source_type, id: root.id, name: approval.source_name ?? root.id }}
        root={root}
        runId={approval.run_id}
        sessionId={approval.session_id}
        user={approval.user_id}
        since={isPending ? approval.created_at : undefined}
      >
        <Fact name="State">
          <StatusBadge status={approval.status} />
        </Fact>
        <Fact name="Kind">{approval.approval_type === "audit" ? "record of an answer" : "needs an approver"}</Fact>
        {approval.resolved_at && (
          <Fact name="Resolved">
            <Time value={approval.resolved_at} />
            {approval.resolved_by && ` by ${approval.resolved_by}`}
          </Fact>
        )}
      </Facts>
      {question && isPending && mayResolve ? (
        <QuestionForm question={question} answer={answer} onChange={setAnswer} withoutDecision />
      ) : (
        <div>
          <Text fw={600} mb={4}>
            {approval.tool_name}
          </Text>
          <Json value={approval.tool_args} label="arguments" />
        </div>
      )}
      {approval.resolution_data && (
        <div>
          <Text size="sm" fw={500} mb={4}>
            Answer
          </Text>
          <Json value={approval.resolution_data} label="answer" />
        </div>
      )}
      {run.data?.status === "PAUSED" && (
        <Alert color="yellow" title="The run waits to be continued">
          <Stack gap="xs" align="flex-start">
            The approval is resolved. The run continues when a caller who may run {root.id} asks for it.
            <Button size="xs" loading={isSending} onClick={() => onSend(continueRun(approval))}>
              Continue the run
            </Button>
          </Stack>
        </Alert>
      )}
      {isPending && !mayResolve && (
        <Alert color="gray" title="You may not resolve approvals">
          A caller with the scope approvals:write resolves it.
        </Alert>
      )}
      {isPending && mayResolve && (
        <Group justify="flex-end">
          {missing && (
            <Text size="sm" c="red" role="alert">
              {missing}
            </Text>
          )}
          <Button variant="light" color="red" onClick={() => decide(false)} loading={isSending}>
            Reject
          </Button>
          <Button onClick={() => decide(true)} loading={isSending}>
            Approve
          </Button>
        </Group>
      )}
    </Stack>
  );
}
