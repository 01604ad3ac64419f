/** Creates or changes a schedule, with a preview of its ticks. */
import {
  Accordion,
  Alert,
  Button,
  Drawer,
  Group,
  JsonInput,
  NumberInput,
  SegmentedControl,
  Select,
  SimpleGrid,
  Stack,
  Text,
  Textarea,
  TextInput,
} from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useMemo, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { api, dataOf } from "../../api/client.ts";
import { useComponents } from "../../api/components.ts";
import { ApiError } from "../../api/errors.ts";
import { asFormError, type FormFaults, formFaults } from "../../api/form-faults.ts";
import { notifyDone } from "../../api/queries.ts";
import { localZone, once, timeZones } from "./cron.ts";
import {
  catchUps,
  type FormValues,
  faultsIn,
  methods,
  newValues,
  overlaps,
  toCreate,
  toSeconds,
  toUpdate,
  valueNames,
  valuesOf,
} from "./form-values.ts";
import { CronPreview } from "./preview.tsx";
import type { Schedule } from "./queries.ts";

interface ScheduleFormProps {
  /** Undefined for a new schedule. */
  readonly schedule: Schedule | undefined;
  readonly onClose: () => void;
  readonly onSaved: (id: string) => void;
}

type Faults = Partial<Record<keyof FormValues, string>>;

const zones = timeZones();

/** A fault of the server, with the value that it is about if the form has it. */
function faultsOf(error: unknown): FormFaults<keyof FormValues> {
  if (error instanceof ApiError && error.status === 409 && /name/.test(error.message))
    return { faults: { name: error.message }, other: undefined };
  return formFaults(error, valueNames);
}

export function ScheduleForm({ schedule, onClose, onSaved }: ScheduleFormProps): ReactNode {
  const before = useMemo(() => (schedule ? valuesOf(schedule) : newValues(localZone)), [schedule]);
  const [values, setValues] = useState(before);
  const [faults, setFaults] = useState<Faults>({});
  const [other, setOther] = useState<string>();
  const form = useRef<HTMLFormElement>(null);
  const { components } = useComponents();
  const queries = useQueryClient();
  const save = useMutation({
    mutationFn: async (given: FormValues): Promise<Schedule | ApiError> => {
      const answer = schedule
        ? dataOf(
            api.PATCH("/schedules/{schedule_id}", {
              params: { path: { schedule_id: schedule.id } },
              body: toUpdate(given, before),
            }),
          )
        : dataOf(api.POST("/schedules", { body: toCreate(given) }));
      // The form shows faults beside its fields.
      return await answer.catch(asFormError);
    },
    onSuccess: async (saved) => {
      if (saved instanceof ApiError) {
        const found = faultsOf(saved);
        show(found.faults);
        setOther(found.other);
        return;
      }
      notifyDone(schedule ? `${saved.name} is changed.` : `${saved.name} is created.`);
      await queries.invalidateQueries({ queryKey: ["schedules"] });
      onSaved(saved.id);
    },
  });

  const set = (change: Partial<FormValues>): void => {
    setValues((now) => ({ ...now, ...change }));
    setFaults((now) => Object.fromEntries(Object.entries(now).filter(([name]) => !(name in change))));
  };
  /** Shows faults, and puts the focus on the first. */
  function show(found: Faults): void {
    // The faults are rendered before the focus moves, however slow the machine is.
    flushSync(() => setFaults(found));
    form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const found = faultsIn(values);
    show(found);
    setOther(undefined);
    if (Object.keys(found).length === 0) save.mutate(values);
  };
  const text = (name: keyof FormValues) => ({
    value: String(values[name] ?? ""),
    error: faults[name],
    onChange: (event: { readonly currentTarget: { readonly value: string } }) =>
      set({ [name]: event.currentTarget.value }),
  });
  const number = (name: keyof FormValues, min: number) => ({
    value: (values[name] as number | undefined) ?? "",
    error: faults[name],
    min,
    allowDecimal: false,
    onChange: (value: string | number) => set({ [name]: typeof value === "number" ? value : undefined }),
  });
  const isOnce = values.cronExpr.trim() === once;
  const chosen = values.component;
  const choices = components.map(({ kind, id, name }) => ({ value: `${kind}:${id}`, label: `${name} (${kind})` }));
  const all =
    chosen === "" || choices.some(({ value }) => value === chosen)
      ? choices
      : [...choices, { value: chosen, label: chosen.replace(/^\w+:/, "") }];
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size="xl"
      padding="lg"
      title={schedule ? `Change ${schedule.name}` : "New schedule"}
    >
      <form onSubmit={submit} ref={form} noValidate>
        <Stack>
          <TextInput label="Name" placeholder="morning-news" withAsterisk data-autofocus {...text("name")} />
          <TextInput label="Description" {...text("description")} />
          <div>
            <Text size="sm" fw={500} mb={4}>
              What it does
            </Text>
            <SegmentedControl
              aria-label="What it does"
              value={values.target}
              onChange={(target) => set({ target: target as FormValues["target"] })}
              data={[
                { value: "component", label: "Starts a run" },
                { value: "path", label: "Calls a path" },
              ]}
            />
          </div>
          {values.target === "component" ? (
            <>
              <Select
                label="Component"
                placeholder="Choose an agent, a team or a workflow"
                withAsterisk
                searchable
                data={all}
                value={chosen || null}
                onChange={(component) => set({ component: component ?? "" })}
                error={faults.component ?? faults.endpoint}
              />
              <Textarea
                label="Message"
                description="The input of each run."
                withAsterisk
                autosize
                minRows={2}
                {...text("message")}
              />
            </>
          ) : (
            <Group align="flex-start" wrap="nowrap">
              <Select
                label="Method"
                data={[...methods]}
                value={values.method}
                onChange={(method) => set({ method: method ?? "POST" })}
                allowDeselect={false}
                error={faults.method}
                w={110}
              />
              <TextInput label="Path" placeholder="/agents/weather/runs" withAsterisk flex={1} {...text("endpoint")} />
            </Group>
          )}
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            <TextInput
              label="Cron expression"
              description="Minute, hour, day, month, weekday; seconds last. Or @daily, @once."
              withAsterisk
              spellCheck={false}
              styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
              inputWrapperOrder={["label", "input", "description", "error"]}
              {...text("cronExpr")}
            />
            <Select
              label="Time zone"
              description="Days and hours of the expression are in this zone."
              inputWrapperOrder={["label", "input", "description", "error"]}
              data={[...new Set([...zones, values.timezone])]}
              value={values.timezone}
              onChange={(timezone) => set({ timezone: timezone ?? "UTC" })}
              searchable
              allowDeselect={false}
              error={faults.timezone}
              limit={100}
            />
          </SimpleGrid>
          {isOnce && (
            <TextInput
              type="datetime-local"
              label="Time of the fire"
              description={`In your time zone, ${localZone}.`}
              withAsterisk
              {...text("runAt")}
            />
          )}
          <section aria-label="Next ticks">
            <Text size="sm" fw={500} mb={4}>
              Next ticks
            </Text>
            <CronPreview
              cronExpr={values.cronExpr}
              timezone={values.timezone}
              runAt={toSeconds(values.runAt) ?? undefined}
              endsAt={toSeconds(values.endsAt) ?? undefined}
            />
          </section>
          <Accordion variant="contained" order={3}>
            <Accordion.Item value="more">
              <Accordion.Control>More options</Accordion.Control>
              <Accordion.Panel>
                <Stack>
                  <JsonInput
                    label={values.target === "component" ? "Further fields" : "Payload"}
                    description={
                      values.target === "component"
                        ? "A JSON object with what a start takes beside the message, such as session_id."
                        : "A JSON object."
                    }
                    autosize
                    minRows={2}
                    value={values.payload}
                    onChange={(payload) => set({ payload })}
                    error={faults.payload}
                  />
                  <SimpleGrid cols={{ base: 1, xs: 2 }}>
                    <Select
                      label="While a fire is unfinished"
                      data={overlaps.map((value) => ({ value, label: overlapLabels[value] }))}
                      value={values.overlap}
                      onChange={(overlap) => overlap && set({ overlap })}
                      allowDeselect={false}
                      error={faults.overlap}
                    />
                    <Select
                      label="Missed ticks"
                      data={catchUps.map((value) => ({ value, label: catchUpLabels[value] }))}
                      value={values.catchUp}
                      onChange={(catchUp) => catchUp && set({ catchUp })}
                      allowDeselect={false}
                      error={faults.catchUp}
                    />
                    <TextInput
                      type="datetime-local"
                      label="Ends at"
                      description={`In your time zone, ${localZone}.`}
                      {...text("endsAt")}
                    />
                    <NumberInput label="Max fires" description="Default: no limit." {...number("maxFires", 1)} />
                    <NumberInput label="Time-out (s)" {...number("timeoutSeconds", 1)} />
                    <NumberInput label="Max delay at random (s)" {...number("jitterSeconds", 0)} />
                    <NumberInput label="Max retries" {...number("maxRetries", 0)} />
                    <NumberInput label="Time between retries (s)" {...number("retryDelaySeconds", 1)} />
                    <NumberInput
                      label="Pause after failures"
                      description="Consecutive failures. Default: never."
                      {...number("pauseAfter", 1)}
                    />
                  </SimpleGrid>
                </Stack>
              </Accordion.Panel>
            </Accordion.Item>
          </Accordion>
          {other && (
            <Alert color="red" role="alert" title="The server rejects the schedule">
              {other}
            </Alert>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={save.isPending}>
              {schedule ? "Save" : "Create"}
            </Button>
          </Group>
        </Stack>
      </form>
    </Drawer>
  );
}

export const overlapLabels = {
  skip: "skip the tick",
  queue: "wait for its end",
  cancelPrevious: "cancel it first",
  allow: "fire beside it",
} as const;

export const catchUpLabels = {
  none: "do not fire late",
  last: "fire the last one late",
  all: "fire all of them late",
} as const;
