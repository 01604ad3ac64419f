/** The questions of a paused run, with a form that answers them. */
import {
  Alert,
  Badge,
  Button,
  Checkbox,
  Group,
  NumberInput,
  Radio,
  Stack,
  Switch,
  Text,
  Textarea,
  TextInput,
} from "@mantine/core";
import { IconHandStop } from "@tabler/icons-react";
import { type FormEvent, type ReactNode, useState } from "react";
import { Json } from "../../components/json.tsx";
import { Time } from "../../components/values.tsx";
import { type Answer, type Field, parseField, type Question } from "./answering.ts";
import classes from "./chat.module.css";

interface QuestionsProps {
  readonly questions: readonly Question[];
  readonly mayAnswer: boolean;
  readonly mayApprove: boolean;
  readonly onAnswer: (answers: Readonly<Record<string, Answer>>) => Promise<void>;
}

/** What a person has entered for one question. */
interface Draft {
  readonly confirmed: boolean | undefined;
  readonly note: string;
  readonly texts: Readonly<Record<string, string | boolean>>;
  readonly result: string;
  readonly choices: readonly string[];
  readonly output: string;
}

export function Questions({ questions, mayAnswer, mayApprove, onAnswer }: QuestionsProps): ReactNode {
  const [drafts, setDrafts] = useState<Readonly<Record<string, Draft>>>({});
  const [fault, setFault] = useState<string>();
  const [isSending, setSending] = useState(false);
  const draftOf = (question: Question): Draft => drafts[question.key] ?? emptyDraft(question);
  const isBlocked = questions.some(({ needsApprover }) => needsApprover) && !mayApprove;
  const isSimple = questions.length === 1 && questions[0] !== undefined && isYesOrNo(questions[0]);

  const send = async (changed: Readonly<Record<string, Partial<Draft>>> = {}): Promise<void> => {
    setFault(undefined);
    let answers: Readonly<Record<string, Answer>>;
    try {
      answers = Object.fromEntries(
        questions.map((question) => [
          question.key,
          toAnswer(question, { ...draftOf(question), ...changed[question.key] }),
        ]),
      );
    } catch (error) {
      setFault(error instanceof Error ? error.message : String(error));
      return;
    }
    setSending(true);
    await onAnswer(answers);
    setSending(false);
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void send();
  };

  if (!mayAnswer || (isBlocked && questions.length > 0)) {
    return (
      <Waiting>
        {questions.map(({ key, message }) => (
          <Text key={key} size="sm">
            {message}
          </Text>
        ))}
        <Text size="sm" c="dimmed">
          {mayAnswer
            ? "It waits for a person who may approve. Open Approvals to see who. After the approval, continue the run."
            : "You may not answer. Ask an operator for the scope that runs this component."}
        </Text>
        {mayAnswer && <Continue isSending={isSending} onContinue={() => void onAnswer({})} />}
      </Waiting>
    );
  }
  if (questions.length === 0) {
    return (
      <Waiting>
        <Text size="sm">It waits for an approval. After the approval, continue the run.</Text>
        <Continue isSending={isSending} onContinue={() => void onAnswer({})} />
      </Waiting>
    );
  }
  return (
    <Waiting>
      <form onSubmit={submit} aria-label="Questions of the run">
        <Stack gap="md">
          {questions.map((question) => (
            <QuestionForm
              key={question.key}
              question={question}
              draft={draftOf(question)}
              isSimple={isSimple}
              onChange={(change) =>
                setDrafts((before) => ({ ...before, [question.key]: { ...draftOf(question), ...change } }))
              }
            />
          ))}
          {fault && (
            <Text size="sm" c="red" role="alert">
              {fault}
            </Text>
          )}
          {isSimple && questions[0] ? (
            <YesOrNo
              question={questions[0]}
              isSending={isSending}
              onChoice={(confirmed) => void send({ [questions[0]?.key ?? ""]: { confirmed } })}
            />
          ) : (
            <Group>
              <Button type="submit" size="sm" loading={isSending}>
                {questions.length === 1 ? "Send the answer" : `Send ${questions.length} answers`}
              </Button>
            </Group>
          )}
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

function Continue({
  isSending,
  onContinue,
}: {
  readonly isSending: boolean;
  readonly onContinue: () => void;
}): ReactNode {
  return (
    <Group>
      <Button size="sm" variant="light" loading={isSending} onClick={onContinue}>
        Continue
      </Button>
    </Group>
  );
}

function YesOrNo({
  question,
  isSending,
  onChoice,
}: {
  readonly question: Question;
  readonly isSending: boolean;
  readonly onChoice: (confirmed: boolean) => void;
}): ReactNode {
  return (
    <Group gap="xs">
      <Button size="sm" loading={isSending} onClick={() => onChoice(true)}>
        {question.output === undefined ? "Approve" : "Accept"}
      </Button>
      <Button size="sm" variant="default" disabled={isSending} onClick={() => onChoice(false)}>
        {question.output === undefined ? "Reject" : "Send back"}
      </Button>
    </Group>
  );
}

interface QuestionFormProps {
  readonly question: Question;
  readonly draft: Draft;
  /** The buttons at the end of the form carry the decision. */
  readonly isSimple: boolean;
  readonly onChange: (change: Partial<Draft>) => void;
}

function QuestionForm({ question, draft, isSimple, onChange }: QuestionFormProps): ReactNode {
  return (
    <Stack gap="xs" component="fieldset" className={classes.question}>
      <legend>
        <Text fw={600} size="sm" span>
          {question.message}
        </Text>{" "}
        <Badge variant="light" color="gray" radius="sm" tt="none">
          {question.asker ? `${question.asker}: ${question.subject}` : question.subject}
        </Badge>
      </legend>
      {question.deadline && (
        <Text size="xs" c="dimmed">
          Time to answer ends <Time value={question.deadline} />.
        </Text>
      )}
      {hasArguments(question) && <Json value={question.args} label="arguments" />}
      {question.fields.map((field) => (
        <FieldInput
          key={field.name}
          field={field}
          value={draft.texts[field.name] ?? ""}
          onChange={(value) => onChange({ texts: { ...draft.texts, [field.name]: value } })}
        />
      ))}
      {question.isExternal && (
        <Textarea
          label="Result"
          description="The model receives this text as the result of the call."
          autosize
          minRows={2}
          maxRows={10}
          required
          value={draft.result}
          onChange={(event) => onChange({ result: event.currentTarget.value })}
        />
      )}
      {question.choices.length > 0 && <Choices question={question} draft={draft} onChange={onChange} />}
      {question.output !== undefined && (
        <Textarea
          label="Output"
          description="Edit it before you accept it."
          autosize
          minRows={3}
          maxRows={14}
          value={draft.output}
          onChange={(event) => onChange({ output: event.currentTarget.value })}
        />
      )}
      {question.isConfirmation && !isSimple && (
        <Radio.Group
          label="Decision"
          value={draft.confirmed === undefined ? null : draft.confirmed ? "yes" : "no"}
          onChange={(value) => onChange({ confirmed: value === "yes" })}
        >
          <Group gap="md" mt={4}>
            <Radio value="yes" label="Approve" />
            <Radio value="no" label="Reject" />
          </Group>
        </Radio.Group>
      )}
      {question.takesNote && (
        <TextInput
          label="Note"
          description={
            question.output === undefined
              ? "With a rejection, the model receives the note."
              : "What to change, if you send it back."
          }
          value={draft.note}
          onChange={(event) => onChange({ note: event.currentTarget.value })}
        />
      )}
    </Stack>
  );
}

function Choices({ question, draft, onChange }: Omit<QuestionFormProps, "isSimple">): ReactNode {
  if (question.allowsSeveral) {
    return (
      <Checkbox.Group label="Choose" value={[...draft.choices]} onChange={(choices) => onChange({ choices })}>
        <Group gap="md" mt={4}>
          {question.choices.map((choice) => (
            <Checkbox key={choice} value={choice} label={choice} />
          ))}
        </Group>
      </Checkbox.Group>
    );
  }
  return (
    <Radio.Group label="Choose" value={draft.choices[0] ?? null} onChange={(choice) => onChange({ choices: [choice] })}>
      <Group gap="md" mt={4}>
        {question.choices.map((choice) => (
          <Radio key={choice} value={choice} label={choice} />
        ))}
      </Group>
    </Radio.Group>
  );
}

interface FieldInputProps {
  readonly field: Field;
  readonly value: string | boolean;
  readonly onChange: (value: string | boolean) => void;
}

function FieldInput({ field, value, onChange }: FieldInputProps): ReactNode {
  const common = { label: field.name, description: field.description, required: field.isRequired };
  if (field.type === "bool") {
    return (
      <Switch
        label={field.name}
        description={field.description}
        checked={value === true}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
    );
  }
  if (field.type === "int" || field.type === "float") {
    return (
      <NumberInput
        {...common}
        value={String(value)}
        allowDecimal={field.type === "float"}
        onChange={(next) => onChange(String(next))}
      />
    );
  }
  const isJson = field.type === "list" || field.type === "dict";
  return (
    <Textarea
      {...common}
      autosize
      minRows={1}
      maxRows={10}
      placeholder={isJson ? (field.type === "list" ? "[…]" : "{…}") : undefined}
      value={String(value)}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

function isYesOrNo({ isConfirmation, isExternal, choices }: Question): boolean {
  return isConfirmation && !isExternal && choices.length === 0;
}

function hasArguments({ args }: Question): boolean {
  return typeof args === "object" && args !== null && Object.keys(args).length > 0;
}

function emptyDraft({ fields, output }: Question): Draft {
  const texts = fields.map(({ name, type, value }): [string, string | boolean] => {
    if (type === "bool") return [name, value === true];
    if (value === undefined || value === null) return [name, ""];
    return [name, typeof value === "string" ? value : JSON.stringify(value)];
  });
  return {
    confirmed: undefined,
    note: "",
    texts: Object.fromEntries(texts),
    result: "",
    choices: [],
    output: output ?? "",
  };
}

/** @throws Error with a text for the person */
function toAnswer(question: Question, { confirmed, note, texts, result, choices, output }: Draft): Answer {
  const isRejected = question.isConfirmation && confirmed === false;
  if (question.isConfirmation && confirmed === undefined) throw new Error(`Decide about ${question.subject}.`);
  if (question.isExternal && result === "") throw new Error(`Enter the result of ${question.subject}.`);
  if (question.choices.length > 0 && choices.length === 0) throw new Error(`Choose for ${question.subject}.`);
  const values = isRejected ? [] : question.fields.flatMap((field) => entryOf(field, texts[field.name] ?? ""));
  return {
    ...(question.isConfirmation && confirmed !== undefined ? { confirmed } : {}),
    ...(note === "" ? {} : { note }),
    values: Object.fromEntries(values),
    ...(question.isExternal ? { result } : {}),
    ...(choices.length > 0 ? { choices } : {}),
    ...(question.output === undefined ? {} : { output }),
  };
}

function entryOf(field: Field, entered: string | boolean): [string, unknown][] {
  if (typeof entered === "boolean") return [[field.name, entered]];
  if (entered !== "") return [[field.name, parseField(field, entered)]];
  if (field.isRequired) throw new Error(`Enter ${field.name}.`);
  return [];
}
