/** The form in which a person answers a question of a paused run. */
import {
  Anchor,
  Badge,
  Button,
  Checkbox,
  Group,
  JsonInput,
  NumberInput,
  Radio,
  Select,
  Stack,
  Text,
  Textarea,
  TextInput,
} from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useId, useState } from "react";
import { Json } from "./json.tsx";
import type { Answer, Field, Question } from "./questions.ts";
import { formatDuration, useNow } from "./values.tsx";

interface QuestionFormProps {
  readonly question: Question;
  readonly answer: Answer;
  readonly onChange: (answer: Answer) => void;
  /** Leaves yes and no to buttons outside of the form. */
  readonly withoutDecision?: boolean;
}

export function QuestionForm({ question, answer, onChange, withoutDecision }: QuestionFormProps): ReactNode {
  const { type, title, from, subject, fields, deadline, onTimeout, needsApproval } = question;
  const heading = useId();
  const editsOutput = type === "review" && (withoutDecision || answer.confirmed === true);
  return (
    <Stack gap="sm" role="group" aria-labelledby={heading}>
      <Stack gap={2}>
        <Group gap="xs">
          <Text fw={600} id={heading}>
            {title}
          </Text>
          <Badge variant="light" color="gray" radius="sm" tt="none">
            {labels[type]}
          </Badge>
          {needsApproval && (
            <Badge variant="light" color="yellow" radius="sm" tt="none">
              needs an approver
            </Badge>
          )}
        </Group>
        {from && (
          <Text size="sm" c="dimmed">
            Asked by {from}
          </Text>
        )}
        {deadline && (
          <Text size="sm">
            <TimeLeft until={deadline} /> left
            {onTimeout && `, then the run ${outcomes[onTimeout] ?? onTimeout}`}
          </Text>
        )}
      </Stack>
      {question.connection && <Account url={question.connection.url} provider={question.connection.provider} />}
      {subject && !editsOutput && <Subject {...subject} />}
      {!withoutDecision && question.allowsNo && (
        <Radio.Group
          label="Your decision"
          value={answer.confirmed === undefined ? "" : answer.confirmed ? "yes" : "no"}
          onChange={(value) => onChange({ ...answer, confirmed: value === "yes" })}
        >
          <Group mt={6}>
            <Radio value="yes" label={type === "review" ? "Accept" : "Approve"} />
            <Radio value="no" label={type === "review" ? "Send back" : "Reject"} />
          </Group>
        </Radio.Group>
      )}
      {answer.confirmed !== false && (
        <Fields
          fields={fields}
          values={answer.values ?? {}}
          onChange={(values) => onChange({ ...answer, values: { ...answer.values, ...values } })}
        />
      )}
      {type === "choice" && <Choices question={question} answer={answer} onChange={onChange} />}
      {type === "result" && answer.confirmed !== false && (
        <Textarea
          label="Result"
          description="You make this call yourself. The model receives the result."
          autosize
          minRows={2}
          value={answer.result ?? ""}
          onChange={(event) => onChange({ ...answer, result: event.currentTarget.value })}
        />
      )}
      {editsOutput && (
        <Edited value={answer.edited ?? subject?.value} onChange={(edited) => onChange({ ...answer, edited })} />
      )}
      {question.allowsNo && (withoutDecision || answer.confirmed === false) && (
        <Textarea
          label={type === "review" ? "Feedback" : "Note"}
          description={type === "review" ? "The step receives it." : "With a rejection, the model receives it."}
          autosize
          minRows={2}
          value={answer.note ?? ""}
          onChange={(event) => onChange({ ...answer, note: event.currentTarget.value })}
        />
      )}
    </Stack>
  );
}

interface AccountProps {
  readonly provider: string;
  readonly url: string;
}

/** The link that connects the account which a call needs. */
function Account({ provider, url }: AccountProps): ReactNode {
  return (
    <Stack gap="xs" align="flex-start">
      <Text size="sm">
        The tool uses the account of the run's user at {provider}. The run continues by itself when it is connected.
      </Text>
      <Group gap="sm">
        <Button component="a" href={url} target="_blank" rel="noreferrer" size="xs" variant="light">
          Connect {provider}
        </Button>
        <Anchor component={Link} to="/access" search={{ tab: "connections" } as never} size="sm">
          Connected accounts
        </Anchor>
      </Group>
    </Stack>
  );
}

const labels = {
  confirm: "confirmation",
  values: "values",
  result: "external call",
  choice: "choice",
  review: "review",
} as const satisfies Readonly<Record<Question["type"], string>>;

const outcomes: Readonly<Record<string, string>> = {
  approve: "takes it as approved",
  skip: "skips the step",
  cancel: "is cancelled",
};

/** The name of what a question asks for. */
export function labelOf(type: Question["type"]): string {
  return labels[type];
}

/** The time until a deadline, counting down. */
export function TimeLeft({ until }: { readonly until: string }): ReactNode {
  const left = new Date(until).getTime() - useNow();
  if (left <= 0) {
    return (
      <Text span inherit c="dimmed">
        no time
      </Text>
    );
  }
  return (
    <Text span inherit fw={500} c={left < 60_000 ? "red" : "inherit"}>
      {formatDuration(Math.ceil(left / 1000) * 1000)}
    </Text>
  );
}

function Subject({ label, value }: { readonly label: string; readonly value: unknown }): ReactNode {
  return (
    <div>
      <Text size="sm" fw={500} mb={4}>
        {label}
      </Text>
      {typeof value === "string" ? (
        <Text size="sm" style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
          {value}
        </Text>
      ) : (
        <Json value={value} label={label.toLowerCase()} />
      )}
    </div>
  );
}

function Choices({
  question: { choices, allowsSeveral },
  answer,
  onChange,
}: Omit<QuestionFormProps, "withoutDecision">) {
  if (allowsSeveral) {
    return (
      <Checkbox.Group
        label="Choose one or more"
        value={[...(answer.choices ?? [])]}
        onChange={(chosen) => onChange({ ...answer, choices: chosen })}
      >
        <Stack gap="xs" mt={6}>
          {choices.map((choice) => (
            <Checkbox key={choice} value={choice} label={choice} />
          ))}
        </Stack>
      </Checkbox.Group>
    );
  }
  return (
    <Radio.Group
      label="Choose one"
      value={answer.choices?.[0] ?? ""}
      onChange={(choice) => onChange({ ...answer, choices: [choice] })}
    >
      <Stack gap="xs" mt={6}>
        {choices.map((choice) => (
          <Radio key={choice} value={choice} label={choice} />
        ))}
      </Stack>
    </Radio.Group>
  );
}

interface FieldsProps {
  readonly fields: readonly Field[];
  readonly values: Readonly<Record<string, unknown>>;
  readonly onChange: (values: Readonly<Record<string, unknown>>) => void;
}

function Fields({ fields, values, onChange }: FieldsProps): ReactNode {
  return fields.map((field) => (
    <FieldInput
      key={field.name}
      field={field}
      value={field.name in values ? values[field.name] : field.value}
      onChange={(value) => onChange({ [field.name]: value })}
    />
  ));
}

interface FieldInputProps {
  readonly field: Field;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

function FieldInput({ field: { name, type, description, required }, value, onChange }: FieldInputProps): ReactNode {
  const common = { label: name, description, withAsterisk: required };
  if (type === "bool") {
    return (
      <Select
        {...common}
        data={[
          { value: "true", label: "yes" },
          { value: "false", label: "no" },
        ]}
        value={typeof value === "boolean" ? String(value) : null}
        onChange={(chosen) => onChange(chosen === null ? undefined : chosen === "true")}
        clearable={!required}
      />
    );
  }
  if (type === "int" || type === "float") {
    return (
      <NumberInput
        {...common}
        allowDecimal={type === "float"}
        value={typeof value === "number" ? value : ""}
        onChange={(entered) => onChange(typeof entered === "number" ? entered : undefined)}
      />
    );
  }
  if (type === "list" || type === "dict") return <JsonField {...common} value={value} onChange={onChange} />;
  const text = typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);
  const isLong = text.length > 80 || text.includes("\n");
  return isLong ? (
    <Textarea {...common} autosize minRows={3} value={text} onChange={(event) => onChange(event.currentTarget.value)} />
  ) : (
    <TextInput {...common} value={text} onChange={(event) => onChange(event.currentTarget.value)} />
  );
}

interface JsonFieldProps {
  readonly label: string;
  readonly description: string | undefined;
  readonly withAsterisk: boolean;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

/** Text that is not valid JSON counts as no value. */
function JsonField({ value, onChange, ...common }: JsonFieldProps): ReactNode {
  const [text, setText] = useState(() => (value === undefined ? "" : JSON.stringify(value, null, 2)));
  return (
    <JsonInput
      {...common}
      description={common.description ?? "JSON"}
      validationError="This is not valid JSON"
      autosize
      minRows={3}
      value={text}
      onChange={(entered) => {
        setText(entered);
        onChange(parsed(entered));
      }}
    />
  );
}

/** The output of a step, as text or JSON. */
function Edited({ value, onChange }: { readonly value: unknown; readonly onChange: (value: unknown) => void }) {
  if (typeof value !== "string" && value !== undefined) {
    return (
      <JsonField label="Output to use" description={undefined} withAsterisk={false} value={value} onChange={onChange} />
    );
  }
  return (
    <Textarea
      label="Output to use"
      description="Change it, or accept it as it is."
      autosize
      minRows={3}
      maxRows={16}
      value={value ?? ""}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
