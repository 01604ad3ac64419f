/** The questions of a waiting run, with a form that answers all of them. */
import { Alert, Button, Drawer, Group, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useState } from "react";
import { ErrorPanel } from "../../components/error-panel.tsx";
import { QuestionForm } from "../../components/question-form.tsx";
import { type Answer, missingIn, type Question } from "../../components/questions.ts";
import { answerRun, type Decision, useMayContinue } from "./decide.ts";
import { Facts } from "./facts.tsx";
import { openRunQuery, questionsQuery, type RunSummary } from "./queries.ts";

interface AnswerPanelProps {
  readonly runId: string;
  /** Undefined if the run is not on the page of the list. */
  readonly listed: RunSummary | undefined;
  readonly isSending: boolean;
  readonly onSend: (decision: Decision) => void;
  readonly onClose: () => void;
}

export function AnswerPanel({ runId, listed, isSending, onSend, onClose }: AnswerPanelProps): ReactNode {
  const found = useQuery({ ...openRunQuery(runId), enabled: !listed });
  const run = listed ?? found.data;
  return (
    <Drawer opened onClose={onClose} position="right" size="lg" title="Waiting run" padding="lg">
      {run ? (
        <Questions key={run.updated_at} run={run} isSending={isSending} onSend={onSend} />
      ) : found.error ? (
        <ErrorPanel error={found.error} onRetry={() => void found.refetch()} />
      ) : found.data === null ? (
        <Alert color="gray" title="The run no longer waits">
          It was answered or cancelled, or it waits for another user.
        </Alert>
      ) : (
        <Skeleton height={180} />
      )}
    </Drawer>
  );
}

interface QuestionsProps {
  readonly run: RunSummary;
  readonly isSending: boolean;
  readonly onSend: (decision: Decision) => void;
}

const noAnswer: Answer = {};

function Questions({ run, isSending, onSend }: QuestionsProps): ReactNode {
  const { data: questions, error, refetch } = useQuery(questionsQuery(run));
  const [answers, setAnswers] = useState<ReadonlyMap<string, Answer>>(new Map());
  const [isTried, setTried] = useState(false);
  const mayContinue = useMayContinue()(run.component_type, run.component_id);
  const answerOf = (id: string): Answer => answers.get(id) ?? noAnswer;
  const missing = (questions ?? []).flatMap((question) => missingIn(question, answerOf(question.id)) ?? []);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setTried(true);
    if (!questions || missing.length > 0) return;
    const given = questions.map((question): [Question, Answer] => [question, answerOf(question.id)]);
    onSend(answerRun(run, given, questions[0]?.title ?? run.component_name));
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="lg">
        <Facts
          component={{ kind: run.component_type, id: run.component_id, name: run.component_name }}
          root={{ kind: run.component_type, id: run.component_id }}
          runId={run.run_id}
          sessionId={run.session_id}
          user={run.user_id}
          since={run.updated_at}
        />
        {error && <ErrorPanel error={error} onRetry={() => void refetch()} />}
        {!questions && !error && <Skeleton height={140} />}
        {questions?.map((question) => (
          <QuestionForm
            key={question.id}
            question={question}
            answer={answerOf(question.id)}
            onChange={(answer) => setAnswers(new Map(answers).set(question.id, answer))}
          />
        ))}
        {questions && mayContinue && (
          <Group justify="flex-end">
            {isTried && missing.length > 0 && (
              <Text size="sm" c="red" role="alert">
                {missing[0]}
              </Text>
            )}
            <Button type="submit" loading={isSending}>
              {questions.length > 1 ? "Send the answers" : "Send the answer"}
            </Button>
          </Group>
        )}
        {!mayContinue && (
          <Text size="sm" c="dimmed">
            You may read this run, but not answer it. It needs the scope to run {run.component_id}.
          </Text>
        )}
      </Stack>
    </form>
  );
}
