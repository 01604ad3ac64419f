/** Changes a draft, or makes a new one: as a form or as JSON. The server checks the config as it checks code. */
import {
  Alert,
  Button,
  Drawer,
  Group,
  JsonInput,
  Skeleton,
  Stack,
  Tabs,
  Text,
  Textarea,
  TextInput,
} from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { ApiError } from "../../api/errors.ts";
import { notifyDone } from "../../api/queries.ts";
import { ErrorPanel } from "../../components/error-panel.tsx";
import { objectIn } from "../../components/json-object-input.tsx";
import { type Config, optionIn } from "./config.ts";
import { Fields, formOptions } from "./fields.tsx";
import { type Draft, type Shown, saveDraft, type Version, versionQuery } from "./queries.ts";
import type { Side } from "./search.ts";

interface EditorProps {
  readonly shown: Shown;
  /** What the config begins with. */
  readonly start: Side | "new";
  readonly onClose: () => void;
  readonly onSaved: (version: number) => void;
}

export function Editor({ shown, start, onClose, onSaved }: EditorProps): ReactNode {
  const isVersion = typeof start === "number";
  const { data, error, refetch } = useQuery({ ...versionQuery(shown.id, isVersion ? start : 0), enabled: isVersion });
  const isDraft = data?.stage === "draft";
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size="xl"
      padding="lg"
      title={isDraft ? `Version ${data.version} of ${shown.name}` : `New version of ${shown.name}`}
    >
      {isVersion && !data ? (
        error ? (
          <ErrorPanel error={error} onRetry={() => void refetch()} />
        ) : (
          <Skeleton height={400} />
        )
      ) : (
        <Form
          shown={shown}
          source={isVersion ? data : undefined}
          draft={isDraft ? data : undefined}
          onClose={onClose}
          onSaved={onSaved}
        />
      )}
    </Drawer>
  );
}

interface FormProps {
  readonly shown: Shown;
  /** The version whose config the form begins with. */
  readonly source: Version | undefined;
  /** The draft that is changed. */
  readonly draft: Version | undefined;
  readonly onClose: () => void;
  readonly onSaved: (version: number) => void;
}

type Faults = Readonly<Record<string, string>>;

function Form({ shown, source, draft, onClose, onSaved }: FormProps): ReactNode {
  const [config, setConfig] = useState<Config>(source?.config ?? {});
  /** The text of the JSON; undefined while the form is shown. */
  const [json, setJson] = useState<string>();
  const [label, setLabel] = useState(draft?.label ?? "");
  const [notes, setNotes] = useState(draft?.notes ?? "");
  const [faults, setFaults] = useState<Faults>({});
  const [other, setOther] = useState<string>();
  const form = useRef<HTMLFormElement>(null);
  const queries = useQueryClient();
  const typed = json === undefined ? config : objectIn(json);
  const save = useMutation({
    mutationFn: async (given: Draft) =>
      await saveDraft(shown, draft?.version, given).catch((error: unknown) => {
        // The form shows faults beside its fields.
        if (error instanceof ApiError && [400, 409, 422].includes(error.status)) return error;
        throw error;
      }),
    onSuccess: async (saved) => {
      if (saved instanceof ApiError) return show(saved.message);
      notifyDone(`Version ${saved} is saved as a draft.`);
      await queries.invalidateQueries({ queryKey: ["components"] });
      onSaved(saved);
    },
  });
  /** Shows a fault of the server, and puts the focus on its field. */
  function show(message: string): void {
    const option = optionIn(message);
    const hasField =
      json === undefined && option !== undefined && formOptions[shown.kind].some((one) => one === option);
    // The fault is rendered before the focus moves, however slow the machine is.
    flushSync(() => {
      setFaults(hasField ? { [option]: message } : json === undefined ? {} : { json: message });
      setOther(hasField || json !== undefined ? undefined : message);
    });
    form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }
  const change = (next: Config): void => {
    setConfig(next);
    setFaults({});
    setOther(undefined);
  };
  const toTab = (tab: string | null): void => {
    if (tab === "json") setJson(JSON.stringify(config, null, 2));
    else if (typed) {
      change(typed);
      setJson(undefined);
    }
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (typed) save.mutate({ config: typed, label, notes });
  };
  return (
    <form onSubmit={submit} ref={form} noValidate>
      <Stack>
        {shown.definition && (
          <Text size="sm" c="dimmed">
            The version stores only what differs from the code.
          </Text>
        )}
        <Tabs value={json === undefined ? "form" : "json"} onChange={toTab} keepMounted={false}>
          <Tabs.List mb="md">
            <Tabs.Tab value="form" disabled={typed === undefined}>
              Form
            </Tabs.Tab>
            <Tabs.Tab value="json">JSON</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="form">
            <Fields shown={shown} config={config} onChange={change} faults={faults} />
          </Tabs.Panel>
          <Tabs.Panel value="json">
            <JsonInput
              label="Config"
              description="A JSON object with the options of the component. Null removes an option of the code."
              autosize
              minRows={12}
              maxRows={28}
              value={json ?? ""}
              error={typed ? faults.json : "This is not a JSON object"}
              onChange={(text) => {
                setJson(text);
                setFaults({});
              }}
            />
          </Tabs.Panel>
        </Tabs>
        <TextInput
          label="Label"
          description="A short name of the version."
          value={label}
          onChange={(event) => setLabel(event.currentTarget.value)}
        />
        <Textarea
          label="Notes"
          description="What the version changes, and why."
          autosize
          minRows={2}
          maxRows={8}
          value={notes}
          onChange={(event) => setNotes(event.currentTarget.value)}
        />
        {other && (
          <Alert color="red" role="alert" title="The server rejects the version">
            {other}
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" disabled={!typed} loading={save.isPending}>
            Save draft
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
