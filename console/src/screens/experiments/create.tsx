/** The form of an experiment: a component, two of its versions, a dataset, and scorers. */
import { Button, Checkbox, Group, Select, Skeleton, Stack, Text, TextInput } from "@mantine/core";
import { IconPlayerPlay } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { createLazyRoute } from "@tanstack/react-router";
import { type FormEvent, type ReactNode, useState } from "react";
import type { ComponentKind } from "../../api/component-kinds.ts";
import { useComponents } from "../../api/components.ts";
import { type Target, useAddRows } from "../../api/datasets.ts";
import { isComplete, type ScorerChoice, toScorers } from "../../api/scorers.ts";
import { ComponentSelect } from "../../components/component-select.tsx";
import { DatasetInput } from "../../components/dataset-input.tsx";
import { ErrorPanel } from "../../components/error-panel.tsx";
import { Page } from "../../components/page.tsx";
import { ScorersInput } from "../../components/scorers-input.tsx";
import { Time } from "../../components/values.tsx";
import { completedRunsQuery, definitionsQuery, useStart, versionsQuery } from "./queries.ts";
import type { NewSearch } from "./search.ts";
import { choiceOf, versionOf } from "./versions.ts";

export const Route = createLazyRoute("/experiments/new")({ component: NewExperimentPage });

/** Runs that one click chooses. */
const lastRuns = 5;

function NewExperimentPage(): ReactNode {
  const search = Route.useSearch();
  const navigate = Route.useNavigate();
  const { kind, component, a, b, dataset } = search;
  const [fresh, setFresh] = useState<string>();
  const [runs, setRuns] = useState<readonly string[]>([]);
  const [scorers, setScorers] = useState<ScorerChoice>({ names: ["exact", "levenshtein"], options: {} });
  const [name, setName] = useState("");
  const { components } = useComponents();
  const add = useAddRows();
  const start = useStart();
  const change = (next: Partial<NewSearch>): void =>
    void navigate({ search: (before) => ({ ...before, ...next }), replace: true });
  const target: Target | undefined =
    fresh !== undefined ? { name: fresh } : dataset === undefined ? undefined : { id: dataset };
  const choose = (next: Target): void => {
    setFresh("name" in next ? next.name : undefined);
    change({ dataset: "id" in next ? next.id : undefined });
  };
  const isNew = fresh !== undefined;
  const isReady =
    kind !== undefined &&
    component !== undefined &&
    target !== undefined &&
    isComplete(scorers) &&
    (!isNew || (fresh.trim() !== "" && runs.length > 0));
  const submit = async (): Promise<void> => {
    if (!kind || component === undefined || !target || !isReady) return;
    let id = dataset;
    if (isNew) {
      ({ id } = await add.mutateAsync({ target, given: { run_ids: [...runs] } }));
      // Another attempt uses the same dataset.
      choose({ id });
    }
    if (id === undefined) return;
    const experiment = await start.mutateAsync({
      ...(name.trim() && { name: name.trim() }),
      ...{ dataset_id: id, component_type: kind, component_id: component },
      ...{ version_a: a ?? null, version_b: b ?? null, scorers: toScorers(scorers), parallel: 4 },
    });
    await navigate({ to: "/experiments/$experiment", params: { experiment: experiment.id } });
  };
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    // A failed request is shown below the form.
    submit().catch(() => undefined);
  };
  const error = add.error ?? start.error;
  return (
    <Page title="New experiment" description="Each row runs once with side A and once with side B.">
      <form onSubmit={onSubmit}>
        <Stack maw={720}>
          <ComponentSelect
            components={components}
            kind={kind}
            component={component}
            placeholder="Choose a component"
            required
            onChange={(next, id) => change({ kind: next, component: id, a: undefined, b: undefined })}
          />
          {kind && component !== undefined && (
            <Group grow align="flex-start">
              <VersionInput
                label="Side A"
                kind={kind}
                component={component}
                value={a}
                onChange={(next) => change({ a: next })}
              />
              <VersionInput
                label="Side B"
                kind={kind}
                component={component}
                value={b}
                onChange={(next) => change({ b: next })}
              />
            </Group>
          )}
          <DatasetInput value={target} onChange={choose} newName={`Runs of ${component ?? "a component"}`} />
          {isNew && kind && component !== undefined && (
            <RunsInput kind={kind} component={component} value={runs} onChange={setRuns} />
          )}
          <ScorersInput
            description="They compare each answer with the expected one. judge and factuality ask a model."
            value={scorers}
            onChange={setScorers}
          />
          <TextInput
            label="Name"
            description="Optional"
            value={name}
            maxLength={200}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          {error && <ErrorPanel error={error} />}
          <Group>
            <Button
              type="submit"
              disabled={!isReady}
              loading={add.isPending || start.isPending}
              leftSection={<IconPlayerPlay size={14} aria-hidden />}
            >
              Start the experiment
            </Button>
          </Group>
        </Stack>
      </form>
    </Page>
  );
}

interface VersionInputProps {
  readonly label: string;
  readonly kind: ComponentKind;
  readonly component: string;
  readonly value: NewSearch["a"];
  readonly onChange: (version: NewSearch["a"]) => void;
}

function VersionInput({ label, kind, component, value, onChange }: VersionInputProps): ReactNode {
  const { data: versions = [] } = useQuery(versionsQuery(component));
  const { data: definitions } = useQuery(definitionsQuery);
  const isInCode = definitions?.components.some(
    ({ component_type: type, component_id: id }) => type === kind && id === component,
  );
  const known = versions.map(({ version, stage, label: given }) => ({
    value: String(version),
    label: `Version ${version}${stage === "draft" ? ", draft" : ""}${given ? `: ${given}` : ""}`,
  }));
  const chosen = choiceOf(value);
  const isKnown = typeof value !== "number" || known.some((one) => one.value === chosen);
  return (
    <Select
      label={label}
      data={[
        { value: "current", label: "The version in use" },
        ...(isInCode || value === "code" ? [{ value: "code", label: "Code" }] : []),
        ...(isKnown ? [] : [{ value: chosen, label: `Version ${chosen}` }]),
        ...known,
      ]}
      value={chosen}
      onChange={(next) => next !== null && onChange(versionOf(next))}
      allowDeselect={false}
    />
  );
}

interface RunsInputProps {
  readonly kind: ComponentKind;
  readonly component: string;
  readonly value: readonly string[];
  readonly onChange: (runs: readonly string[]) => void;
}

/** The stored runs that become the rows of a new dataset. */
function RunsInput({ kind, component, value, onChange }: RunsInputProps): ReactNode {
  const { data: runs, error, refetch } = useQuery(completedRunsQuery(kind, component));
  if (error) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (!runs) return <Skeleton height={120} radius="md" />;
  if (runs.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {component} has no completed runs. Choose a dataset with rows, or start a run first.
      </Text>
    );
  const last = runs.slice(0, lastRuns).map(({ run_id: id }) => id);
  return (
    <Stack gap="xs">
      <Group>
        <Button size="xs" variant="light" onClick={() => onChange(last)}>
          {last.length === 1 ? "Last completed run" : `Last ${last.length} completed runs`}
        </Button>
      </Group>
      <Checkbox.Group
        label="Runs"
        description="Their messages become inputs, and their answers expected answers."
        value={[...value]}
        onChange={onChange}
      >
        <Stack gap={6} mt="xs">
          {runs.map(({ run_id: id, session_id: session, created_at: begun }) => (
            <Group key={id} gap="xs">
              <Checkbox value={id} label={`Run ${id.slice(0, 8)} of session ${session.slice(0, 24)}`} />
              <Text size="xs" c="dimmed" component="span">
                <Time value={begun} />
              </Text>
            </Group>
          ))}
        </Stack>
      </Checkbox.Group>
    </Stack>
  );
}
