/** The form for a new learning. */
import { Alert, Button, Group, Modal, Select, Stack, TextInput } from "@mantine/core";
import { type FormEvent, type ReactNode, useState } from "react";
import { ErrorPanel } from "../../components/error-panel.tsx";
import { JsonObjectInput, objectIn } from "../../components/json-object-input.tsx";
import { useCreateLearning } from "./queries.ts";
import { type IdentityField, learningTypes } from "./types.ts";

interface CreateProps {
  readonly user: string | undefined;
  /** Whether the caller has only their own learnings. */
  readonly isOwn: boolean;
  readonly onClose: () => void;
}

const labels: Readonly<Record<IdentityField, string>> = {
  user_id: "User",
  session_id: "Session",
  entity_type: "Type of the entity",
  entity_id: "Entity",
  namespace: "Namespace",
};

const typeChoices = learningTypes.map(({ name, label }) => ({ value: name, label: `${label} (${name})` }));

export function CreateLearning({ user = "", isOwn, onClose }: CreateProps): ReactNode {
  const [first] = learningTypes;
  const [name, setName] = useState(first?.name ?? "");
  const [ids, setIds] = useState<Partial<Record<IdentityField, string>>>({ user_id: user });
  const [text, setText] = useState(JSON.stringify(first?.example, null, 2));
  const create = useCreateLearning();
  const type = learningTypes.find((one) => one.name === name);
  const needed = type?.identity ?? [];
  // Every learning may belong to a user.
  const shown = [...new Set<IdentityField>([...needed, ...(isOwn ? [] : (["user_id"] as const))])];
  const content = objectIn(text);
  const idOf = (field: IdentityField): string => (ids[field] ?? "").trim();
  const isMissing = (field: IdentityField): boolean => field !== "namespace" && needed.includes(field) && !idOf(field);
  const isReady = content !== undefined && !shown.some(isMissing);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!content || !isReady) return;
    const given = Object.fromEntries(shown.flatMap((field) => (idOf(field) ? [[field, idOf(field)]] : [])));
    create.mutate({ learning_type: name, content, ...given }, { onSuccess: onClose });
  };
  return (
    <Modal opened onClose={onClose} title="New learning" centered size="lg">
      <form onSubmit={submit}>
        <Stack>
          <Select
            label="Type"
            data={typeChoices}
            value={name}
            allowDeselect={false}
            onChange={(next) => {
              setName(next ?? name);
              setText(JSON.stringify(learningTypes.find((one) => one.name === next)?.example, null, 2));
            }}
          />
          {shown.map((field) => (
            <TextInput
              key={field}
              label={labels[field]}
              description={field === "namespace" ? "Default: global" : "Id"}
              required={needed.includes(field) && field !== "namespace"}
              value={ids[field] ?? ""}
              onChange={(event) => setIds({ ...ids, [field]: event.currentTarget.value })}
            />
          ))}
          {!isOwn && !idOf("user_id") && !needed.includes("user_id") && (
            <Alert color="yellow" title="It belongs to no user">
              Agents use it for all users.
            </Alert>
          )}
          <JsonObjectInput label="Content" description="A JSON object" text={text} onChange={setText} />
          {create.error && <ErrorPanel error={create.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" disabled={!isReady} loading={create.isPending}>
              Store
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
