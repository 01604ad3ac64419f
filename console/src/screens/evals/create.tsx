/** The form of an eval: its type, a component, one input, and what is expected. */
import {
  Alert,
  Button,
  Group,
  NumberInput,
  SegmentedControl,
  Select,
  SimpleGrid,
  Stack,
  Switch,
  TagsInput,
  Text,
  Textarea,
  TextInput,
} from "@mantine/core";
import { IconPlayerPlay } from "@tabler/icons-react";
import { createLazyRoute } from "@tanstack/react-router";
import { type FormEvent, type ReactNode, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { useComponents } from "../../api/components.ts";
import { ApiError } from "../../api/errors.ts";
import { ComponentSelect } from "../../components/component-select.tsx";
import { JsonObjectInput } from "../../components/json-object-input.tsx";
import { NotThere } from "../../components/not-there.tsx";
import { Page } from "../../components/page.tsx";
import { ScorersInput } from "../../components/scorers-input.tsx";
import { useMay } from "../../session/me.ts";
import { type EvalField, type EvalValues, emptyValues, faultsIn, faultsOf, toRequest } from "./form-values.ts";
import { useStartEval } from "./queries.ts";
import { nameOfType } from "./result.ts";
import { type EvalsSearch, evalComponentKinds, evalTypes, type NewEvalSearch } from "./search.ts";

export const Route = createLazyRoute("/evals/new")({ component: NewEval });

type EvalType = NonNullable<EvalsSearch["type"]>;
type Faults = Partial<Record<EvalField, string>>;

const typeChoices = evalTypes.map((type) => ({ value: type, label: nameOfType(type) }));

const descriptions: Readonly<Record<EvalType, string>> = {
  accuracy: "A judge or scorers compare each answer with the expected output.",
  agent_as_judge: "A judge decides whether each answer meets the criteria.",
  performance: "The duration and the memory of each run are measured.",
  reliability: "The tool calls of each run are compared with the expected ones.",
};

function NewEval(): ReactNode {
  const may = useMay();
  if (may("POST /eval-runs")) return <EvalForm />;
  return (
    <NotThere title="New eval" message="You may not start evals" to="/evals" screen="Evals">
      Ask an operator for the scope evals:write.
    </NotThere>
  );
}

function EvalForm(): ReactNode {
  const { type = "accuracy", kind, component } = Route.useSearch();
  const navigate = Route.useNavigate();
  const form = useRef<HTMLFormElement>(null);
  const [values, setValues] = useState(emptyValues);
  const [faults, setFaults] = useState<Faults>({});
  const [other, setOther] = useState<string>();
  const may = useMay();
  const { components } = useComponents();
  /** The agents and teams that the caller may run. */
  const measurable = components.filter(
    (one) => one.kind !== "workflow" && may(`POST /${one.kind}s/{${one.kind}_id}/runs`, one.id),
  );
  const start = useStartEval();
  const subject = { type, kind, component };
  const forget = (fields: readonly string[]): void =>
    setFaults((now) => Object.fromEntries(Object.entries(now).filter(([field]) => !fields.includes(field))));
  const set = (change: Partial<EvalValues>): void => {
    setValues((now) => ({ ...now, ...change }));
    forget(Object.keys(change));
  };
  const choose = (change: NewEvalSearch): void => {
    setFaults({});
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
  };
  /** Shows faults, and puts the focus on the first. */
  const show = (found: Faults, rest?: string): void => {
    // The faults are rendered before the focus moves, however slow the machine is.
    flushSync(() => {
      setFaults(found);
      setOther(rest);
    });
    form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const found = faultsIn(subject, values);
    show(found);
    if (Object.keys(found).length > 0) return;
    start.mutate(toRequest(subject, values), {
      onSuccess: (answer) => {
        if (answer instanceof ApiError) {
          const rejected = faultsOf(answer);
          show(rejected.faults, rejected.other);
        } else void navigate({ to: "/evals/$eval", params: { eval: answer.id } });
      },
    });
  };
  const text = (name: "input" | "name" | "expectedOutput" | "criteria" | "guidelines") => ({
    value: values[name],
    error: faults[name],
    onChange: (event: { readonly currentTarget: { readonly value: string } }) =>
      set({ [name]: event.currentTarget.value }),
  });
  const number = (name: "iterations" | "threshold" | "warmups", min: number, max: number) => ({
    ...{ value: values[name] ?? "", error: faults[name], min, max, allowDecimal: false },
    onChange: (value: string | number) => set({ [name]: typeof value === "number" ? value : undefined }),
  });
  const isJudged = type === "agent_as_judge" || (type === "accuracy" && values.scorers.names.length === 0);
  return (
    <Page title="New eval" description="An eval runs a component on one input, and measures its answers.">
      <form onSubmit={submit} ref={form} noValidate>
        <Stack maw={720}>
          <Select
            label="Type"
            description={descriptions[type]}
            data={typeChoices}
            value={type}
            onChange={(next) => next && choose({ type: next })}
            allowDeselect={false}
            error={faults.type}
          />
          <ComponentSelect
            components={measurable}
            kind={kind}
            component={component}
            placeholder="Choose an agent or a team"
            error={faults.component}
            onChange={(next, id) => choose({ kind: evalComponentKinds.find((one) => one === next), component: id })}
          />
          <Textarea
            label="Input"
            description="The message of each run."
            autosize
            minRows={2}
            maxRows={12}
            withAsterisk
            {...text("input")}
          />
          {type === "accuracy" && (
            <>
              <Textarea
                label="Expected output"
                autosize
                minRows={2}
                maxRows={12}
                withAsterisk={values.scorers.names.length === 0}
                {...text("expectedOutput")}
              />
              <ScorersInput
                description="Without scorers, a judge compares each answer with the expected output."
                value={values.scorers}
                onChange={(scorers) => set({ scorers })}
                error={faults.scorers}
              />
            </>
          )}
          {type === "agent_as_judge" && (
            <>
              <Textarea
                label="Criteria"
                description="What the judge checks."
                placeholder="It is polite, and it answers the question."
                autosize
                minRows={2}
                maxRows={12}
                withAsterisk
                {...text("criteria")}
              />
              <div>
                <Text size="sm" fw={500} mb={4}>
                  Scoring
                </Text>
                <SegmentedControl
                  aria-label="Scoring"
                  value={values.scoring}
                  onChange={(scoring) => set({ scoring: scoring as EvalValues["scoring"] })}
                  data={[
                    { value: "binary", label: "Passed or not" },
                    { value: "numeric", label: "From 1 to 10" },
                  ]}
                />
              </div>
            </>
          )}
          {type === "reliability" && (
            <>
              <TagsInput
                label="Expected tool calls"
                description="Names of tools. Without a name, no call is expected."
                value={[...values.tools]}
                onChange={(tools) => set({ tools })}
                error={faults.tools}
                acceptValueOnBlur
              />
              <Switch
                label="Other tool calls are permitted"
                checked={values.allowsOtherTools}
                onChange={(event) => set({ allowsOtherTools: event.currentTarget.checked })}
              />
              <JsonObjectInput
                label="Expected arguments"
                description="A JSON object: arguments by the name of their tool. A call may have more."
                placeholder={'{ "get_weather": { "city": "Paris" } }'}
                isOptional
                minRows={3}
                text={values.toolArguments}
                error={faults.toolArguments}
                onChange={(toolArguments) => set({ toolArguments })}
              />
            </>
          )}
          {isJudged && (
            <Textarea label="Guidelines for the judge" autosize minRows={2} maxRows={12} {...text("guidelines")} />
          )}
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            <NumberInput label="Iterations" description="Runs that are measured." {...number("iterations", 1, 100)} />
            {(type === "accuracy" || (type === "agent_as_judge" && values.scoring === "numeric")) && (
              <NumberInput
                label="Threshold"
                description="The score to pass, from 1 to 10."
                {...number("threshold", 1, 10)}
              />
            )}
            {type === "performance" && (
              <NumberInput
                label="Warm-up runs"
                description="Runs before, which are not measured."
                {...number("warmups", 0, 10)}
              />
            )}
          </SimpleGrid>
          <TextInput label="Name" description="Optional" maxLength={255} {...text("name")} />
          {other && (
            <Alert color="red" role="alert" title="The server rejects the eval">
              {other}
            </Alert>
          )}
          <Group>
            <Button type="submit" loading={start.isPending} leftSection={<IconPlayerPlay size={14} aria-hidden />}>
              Start the eval
            </Button>
          </Group>
        </Stack>
      </form>
    </Page>
  );
}
