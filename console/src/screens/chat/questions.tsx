/** The questions of a paused run, with a form that answers them. */
import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { IconHandStop } from "@tabler/icons-react";
import { type FormEvent, type ReactNode, useState } from "react";
import { QuestionForm } from "../../components/question-form.tsx";
import { type Answer, type Given, missingIn, type Question } from "../../components/questions.ts";
import classes from "./chat.module.css";

interface QuestionsProps {
  /** None for a run that waits for an approval, or for a plain continuation. */
  readonly questions: readonly Question[];
  readonly mayAnswer: boolean;
  readonly mayApprove: boolean;
  readonly onAnswer: (given: readonly Given[]) => Promise<void>;
}

const noAnswer: Answer = {};

export function Questions({ questions, mayAnswer, mayApprove, onAnswer }: QuestionsProps): ReactNode {
  const [answers, setAnswers] = useState<ReadonlyMap<string, Answer>>(new Map());
  const [missing, setMissing] = useState<string>();
  const [isSending, setSending] = useState(false);
  const [first] = questions;
  const needsApprover = questions.some(({ needsApproval }) => needsApproval) && !mayApprove;
  // One yes or no has its own buttons.
  const decided = questions.length === 1 && first?.allowsNo === true ? first : undefined;
  const answerOf = (id: string): Answer => answers.get(id) ?? noAnswer;

  const send = async (decision: Answer = noAnswer): Promise<void> => {
    const given = questions.map((question): Given => [question, { ...answerOf(question.id), ...decision }]);
    const lacks = given.flatMap(([question, answer]) => missingIn(question, answer) ?? [])[0];
    setMissing(lacks);
    if (lacks) return;
    setSending(true);
    await onAnswer(given);
    setSending(false);
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void send();
  };

  if (!mayAnswer || needsApprover || questions.length === 0)
    return (
      <Waiting>
        {questions.map(({ id, title }) => (
          <Text key={id} size="sm">
            {title}
          </Text>
        ))}
        <Text size="sm" c="dimmed">
          {mayAnswer
            ? "It waits for a person who may approve. Open Approvals to see who. After the approval, continue the run."
            : "You may not answer. Ask an operator for the scope that runs this component."}
        </Text>
        {mayAnswer && (
          <Group>
            <Button size="sm" variant="light" loading={isSending} onClick={() => void onAnswer([])}>
              Continue
            </Button>
          </Group>
        )}
      </Waiting>
    );
  return (
    <Waiting>
      <form onSubmit={submit} aria-label="Questions of the run">
        <Stack gap="md">
          {questions.map((question) => (
            <QuestionForm
              key={question.id}
              question={question}
              answer={answerOf(question.id)}
              withoutDecision={decided !== undefined}
              onChange={(answer) => {
                setMissing(undefined);
                setAnswers((before) => new Map(before).set(question.id, answer));
              }}
            />
          ))}
          {missing && (
            <Text size="sm" c="red" role="alert">
              {missing}
            </Text>
          )}
          <Group gap="xs">
            {decided ? (
              <>
                <Button size="sm" loading={isSending} onClick={() => void send({ confirmed: true })}>
                  {decided.connection ? "Continue" : decided.type === "review" ? "Accept" : "Approve"}
                </Button>
                <Button
                  size="sm"
                  variant="default"
                  disabled={isSending}
                  onClick={() => void send({ confirmed: false })}
                >
                  {decided.type === "review" ? "Send back" : "Reject"}
                </Button>
              </>
            ) : (
              <Button type="submit" size="sm" loading={isSending}>
                {questions.length === 1 ? "Send the answer" : `Send ${questions.length} answers`}
              </Button>
            )}
          </Group>
        </Stack>
      </form>
    </Waiting>
  );
}

function Waiting({ children }: { readonly children: ReactNode }): ReactNode {
  return (
    <Alert
      color="yellow"
      variant="light"
      icon={<IconHandStop size={18} aria-hidden />}
      title="The run waits for an answer"
      className={classes.waiting}
    >
      <Stack gap="sm">{children}</Stack>
    </Alert>
  );
}
